"""May `mrr` of a candidate be worse than that of another index, and by how much? Book by book, question by question.

To show that a change loses less than 0.02 takes hundreds of questions: over twenty, the 95 % interval of a change that
moves a tenth of them both ways is 0.15 wide. A gate that asks small sets to show it refuses most harmless changes, and
one that asks for a significant loss (p < 0.05) lets a book of twenty questions lose five. So what cannot be shown is
judged by what the questions can tell: a loss beyond chance, or of more than one whole question. docs/evals.md has the
rates of wrong verdicts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evals.scored_questions import ScoredQuestion
from evals.statistics.aggregates import ALL
from evals.statistics.comparison import ALPHA
from evals.statistics.significance import bootstrap_interval, paired_randomisation

METRIC = "mrr"
MARGIN = 0.02
"""A loss of `mrr` that a candidate may have."""

_DIGITS = 9
"""One question of twenty is 0.05, and not a loss of more than that by the last bit."""

_Key = tuple[str, str, str]

Verdict = Literal["not worse", "cannot be told", "worse"]
"""`not worse`: a loss of the margin or more is outside the interval. `cannot be told`: it is not, and the loss is
neither beyond chance nor of more than one whole question. A refusal is `worse`."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Two lists of `mrr` over the same questions."""

    n: int
    difference: float
    """Mean of the first minus mean of the second."""
    low: float
    high: float
    """95 % bootstrap interval of the difference."""
    verdict: Verdict

    def __str__(self) -> str:
        """`-0.083 (-0.150 to -0.010) over 20 questions`."""
        count = "1 question" if self.n == 1 else f"{self.n} questions"
        return f"{self.difference:+.3f} ({self.low:+.3f} to {self.high:+.3f}) over {count}"


def judge(ours: Sequence[float], theirs: Sequence[float], margin: float = MARGIN) -> Judgement:
    """Whether the first may take the place of the second; at least one question each.

    Args:
        ours: reciprocal ranks, 0 where nothing was found.
        theirs: of the same questions in the same order.
        margin: the loss of the mean that is let through.
    """
    gains = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    difference, interval = sum(gains) / len(gains), bootstrap_interval(gains)
    assert interval is not None  # noqa: S101 -- there are pairs
    verdict: Verdict = "not worse"
    if interval.low <= -margin:
        more_than_one = round(difference, _DIGITS) < -max(margin, round(1 / len(gains), _DIGITS))
        beyond_chance = difference < 0 and paired_randomisation(ours, theirs) < ALPHA
        verdict = "worse" if more_than_one or beyond_chance else "cannot be told"
    return Judgement(len(gains), difference, interval.low, interval.high, verdict)


@dataclass(frozen=True, slots=True)
class PairedChange:
    """`mrr` of one strategy against another index, over the questions that both were asked. Key: all but the numbers.

    Not a `Comparison`: that asks whether a difference is chance, this one how large a loss may be.
    """

    split: str
    book: str
    """Slug, or `*` for all books and the questions about none."""
    strategy: str
    n: int
    difference: float
    """Mean of the candidate minus mean of the other."""
    low: float
    high: float
    """95 % bootstrap interval of the difference."""
    verdict: Verdict
    lost: tuple[str, ...]
    """Ids of the questions on which the candidate is behind."""

    def __str__(self) -> str:
        """`people, book osric: -0.083 (-0.150 to -0.010) over 20 questions`."""
        where = self.split if self.book == ALL else f"{self.split}, book {self.book}"
        return f"{where}: {Judgement(self.n, self.difference, self.low, self.high, self.verdict)}"


def paired_changes(
    candidate: Sequence[ScoredQuestion], other: Sequence[ScoredQuestion], margin: float = MARGIN
) -> tuple[PairedChange, ...]:
    """Every strategy of both, apart for each split: over all of its questions, then book by book.

    A split about one book alone is one change. Questions with another text are other questions, whatever their id.
    Empty where no strategy was asked the same question on both sides.
    """
    ours, theirs = _by_strategy(candidate), _by_strategy(other)
    found = []
    for (split, strategy), mine in ours.items():
        before = theirs.get((split, strategy), {})
        shared = [key for key in mine if key in before]
        groups = {ALL: shared}
        for book in sorted({mine[key].book for key in shared} - {""}):
            groups[book] = [key for key in shared if mine[key].book == book]
        for book, keys in groups.items():
            if keys and (book == ALL or len(keys) < len(shared)):
                pairs = [(mine[key], before[key]) for key in keys]
                found.append(_change((split, book, strategy), pairs, margin))
    return tuple(found)


def _by_strategy(rows: Sequence[ScoredQuestion]) -> Mapping[tuple[str, str], dict[_Key, ScoredQuestion]]:
    found: dict[tuple[str, str], dict[_Key, ScoredQuestion]] = {}
    for row in rows:
        if METRIC in row.values:
            found.setdefault((row.split, row.strategy), {})[row.set, row.question_id, row.query] = row
    return found


def _change(
    place: tuple[str, str, str], pairs: Sequence[tuple[ScoredQuestion, ScoredQuestion]], margin: float
) -> PairedChange:
    ours, theirs = ([row.values[METRIC] for row in side] for side in zip(*pairs, strict=True))
    found = judge(ours, theirs, margin)
    lost = tuple(row.question_id for (row, _), mine, other in zip(pairs, ours, theirs, strict=True) if mine < other)
    return PairedChange(*place, found.n, found.difference, found.low, found.high, found.verdict, lost)
