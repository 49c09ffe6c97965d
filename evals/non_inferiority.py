"""May `mrr` of a candidate be worse than that of another index, and by how much? Book by book, question by question.

To show that a change loses less than 0.02 takes hundreds of questions: over twenty, the 95 % interval of a change that
moves a tenth of them both ways is 0.15 wide. A gate that asks small sets to show it refuses most harmless changes, and
one that asks for a significant loss (p < 0.05) lets a book of twenty questions lose five. So what cannot be shown is
judged by what the questions can tell: a loss beyond chance, or of more than a harmless change moves them.

A library of many books has many chances to look worse in one of them. So all lists of questions that are judged at
once share one level: of harmless changes about a tenth may be refused, in whatever list. docs/explanation/gate.md has
the rates of wrong verdicts, and `python -m tools bench gate` measures them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from statistics import NormalDist
from typing import Literal

from evals.aggregates import ALL
from evals.comparison import ALPHA
from evals.scored_questions import ScoredQuestion
from evals.significance import bootstrap_interval, holm, paired_randomisation

METRIC = "mrr"
MARGIN = 0.02
"""A loss of `mrr` that a candidate may have."""

LEVEL = 0.08
"""Share of harmless changes that would be refused if losses were normal; a few questions move far, so it is a tenth."""
OF_WHOLES = 0.055
"""Of that, the share of what is judged over all books, where several books are judged too: they have the rest."""
MOVED = 0.18
"""Root mean square of what a harmless change moves a question by: a tenth of the questions moved between seven versions
of this program on three rule books, up as often as down, by 0.58 in root mean square."""

_DIGITS = 9
"""One question of twenty is 0.05, and not a loss of more than that by the last bit."""

_Key = tuple[str, str, str]

Verdict = Literal["not worse", "cannot be told", "worse"]
"""`not worse`: a loss of the margin or more is outside the interval. `cannot be told`: it is not, and the loss is
neither beyond chance nor more than a harmless change moves. A refusal is `worse`."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Two lists of `mrr` over the same questions in the same order; at least one question."""

    ours: Sequence[float]
    """Reciprocal ranks, 0 where nothing was found."""
    theirs: Sequence[float]

    @property
    def gains(self) -> list[float]:
        """What each question gained."""
        return [mine - other for mine, other in zip(self.ours, self.theirs, strict=True)]

    @property
    def moves(self) -> bool:
        """Whether a question gained or lost anything."""
        return any(self.gains)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the first of two lists may take the place of the second."""

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


def judge(wholes: Sequence[Paired], books: Sequence[Paired] = (), margin: float = MARGIN) -> tuple[Judgement, ...]:
    """Judge lists of questions together: the more of them move, the more each has to lose before it is worse.

    Args:
        wholes: lists over all books.
        books: parts of them, each over one book.
        margin: the loss of a mean that is let through.

    Returns:
        A judgement for each of the wholes, then for each of the books.
    """
    lists = (*wholes, *books)
    levels = _levels([whole.moves for whole in wholes], [book.moves for book in books])
    judgements = [_unjudged(paired.gains) for paired in lists]
    refused = [
        round(judgement.difference, _DIGITS) < -max(margin, round(allowed(paired.gains, level), _DIGITS))
        for judgement, paired, level in zip(judgements, lists, levels, strict=True)
    ]
    # A list that needs no test still counts as one: it might have looked worse by chance.
    chances = holm(
        {
            str(position): 1.0
            if refused[position] or judgement.difference >= 0 or judgement.low > -margin
            else paired_randomisation(paired.ours, paired.theirs)
            for position, (judgement, paired) in enumerate(zip(judgements, lists, strict=True))
            if paired.moves
        }
    )
    verdicts = (
        _verdict(judgement, margin, chances.get(str(position), 1.0), refused=refused[position])
        for position, judgement in enumerate(judgements)
    )
    return tuple(replace(judgement, verdict=verdict) for judgement, verdict in zip(judgements, verdicts, strict=True))


def _unjudged(gains: Sequence[float]) -> Judgement:
    interval = bootstrap_interval(gains)
    assert interval is not None  # noqa: S101 -- there are pairs
    return Judgement(len(gains), sum(gains) / len(gains), interval.low, interval.high, "cannot be told")


def _verdict(judgement: Judgement, margin: float, chance: float, *, refused: bool) -> Verdict:
    if judgement.low > -margin:
        return "not worse"
    return "worse" if refused or (judgement.difference < 0 and chance < ALPHA) else "cannot be told"


def _levels(wholes: Sequence[bool], books: Sequence[bool]) -> list[float]:
    """The level of each list, by which of them have a question that moved: the others cannot look worse by chance.

    Where one book moved and one whole, both have the same questions to lose, and are one test.
    """
    n_wholes, n_books = max(1, sum(wholes)), sum(books)
    if n_books + n_wholes <= 2:
        return [LEVEL / n_wholes] * len(wholes) + [LEVEL] * len(books)
    of_wholes = OF_WHOLES if n_books else LEVEL
    return [of_wholes / n_wholes] * len(wholes) + [(LEVEL - of_wholes) / max(1, n_books)] * len(books)


def allowed(gains: Sequence[float], level: float) -> float:
    """The loss of a mean that a harmless change of these questions exceeds in the share `level` of cases.

    At least one whole question. A change that moves many questions up moves as many down if it is harmless, so what the
    questions gained says how much they may lose, where that is more than usual.
    """
    upward = sum(gain * gain for gain in gains if gain > 0) / len(gains)
    moved = max(MOVED, sqrt(2 * upward))
    return max(1 / len(gains), NormalDist().inv_cdf(1 - level) * moved / sqrt(len(gains)))


@dataclass(frozen=True, slots=True)
class PairedChange(Judgement):
    """`mrr` of one strategy against another index, over the questions that both were asked. Key: all but the numbers.

    Not a `Comparison`: that asks whether a difference is chance, this one how large a loss may be.
    """

    split: str
    book: str
    """Slug, or `*` for all books and the questions about none."""
    strategy: str
    lost: tuple[str, ...]
    """Ids of the questions on which the candidate is behind."""

    def __str__(self) -> str:
        """`people, book osric: -0.083 (-0.150 to -0.010) over 20 questions`."""
        where = self.split if self.book == ALL else f"{self.split}, book {self.book}"
        return f"{where}: {Judgement.__str__(self)}"


@dataclass(frozen=True, slots=True)
class _Place:
    """Questions that are judged as one list."""

    split: str
    book: str
    strategy: str
    pairs: Sequence[tuple[ScoredQuestion, ScoredQuestion]]

    @property
    def values(self) -> Paired:
        ours, theirs = ([row.values[METRIC] for row in side] for side in zip(*self.pairs, strict=True))
        return Paired(ours, theirs)

    def judged(self, judgement: Judgement) -> PairedChange:
        lost = tuple(row.question_id for row, other in self.pairs if row.values[METRIC] < other.values[METRIC])
        numbers = {field.name: getattr(judgement, field.name) for field in fields(Judgement)}
        return PairedChange(**numbers, split=self.split, book=self.book, strategy=self.strategy, lost=lost)


def paired_changes(
    candidate: Sequence[ScoredQuestion], other: Sequence[ScoredQuestion], margin: float = MARGIN
) -> tuple[PairedChange, ...]:
    """Every strategy of both, apart for each split: over all of its questions, then book by book; judged together.

    A split about one book alone is one change. Questions with another text are other questions, whatever their id.
    Empty where no strategy was asked the same question on both sides.
    """
    places = list(_places(candidate, other))
    wholes, books = ([questions for questions in places if (questions.book == ALL) == whole] for whole in (True, False))
    if not places:
        return ()
    judged = judge([whole.values for whole in wholes], [book.values for book in books], margin)
    changes = {
        id(questions): questions.judged(judgement)
        for questions, judgement in zip([*wholes, *books], judged, strict=True)
    }
    return tuple(changes[id(questions)] for questions in places)


def _places(candidate: Sequence[ScoredQuestion], other: Sequence[ScoredQuestion]) -> Iterator[_Place]:
    ours, theirs = _by_strategy(candidate), _by_strategy(other)
    for (split, strategy), mine in ours.items():
        before = theirs.get((split, strategy), {})
        shared = [key for key in mine if key in before]
        groups = {ALL: shared}
        for book in sorted({mine[key].book for key in shared} - {""}):
            groups[book] = [key for key in shared if mine[key].book == book]
        for book, keys in groups.items():
            if keys and (book == ALL or len(keys) < len(shared)):
                yield _Place(split, book, strategy, [(mine[key], before[key]) for key in keys])


def _by_strategy(rows: Sequence[ScoredQuestion]) -> Mapping[tuple[str, str], dict[_Key, ScoredQuestion]]:
    by_strategy: dict[tuple[str, str], dict[_Key, ScoredQuestion]] = {}
    for row in rows:
        if METRIC in row.values:
            by_strategy.setdefault((row.split, row.strategy), {})[row.set, row.question_id, row.query] = row
    return by_strategy
