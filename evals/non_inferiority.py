"""Non-inferiority of a candidate's `mrr` compared with another index, overall and by book, over paired questions.

Showing that a change loses less than 0.02 takes hundreds of questions: over twenty, the 95 % interval of a change that
moves a tenth of them both ways is 0.15 wide. A gate that requires this of small sets refuses most harmless changes, and
one that requires a significant loss (p < 0.05) lets a book of twenty questions lose five. So if it cannot be shown, a
loss counts if it is significant, or larger than the movement of a harmless change.

A library of many books has many chances to look worse in one of them. So all lists of questions that are judged
together share one level: about a tenth of harmless changes may be refused, by any list. docs/explanation/gate.md has
the rates of wrong verdicts, which `python -m tools bench gate` measures.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from statistics import NormalDist
from typing import Literal

from evals.aggregates import ALL
from evals.scored_questions import ScoredQuestion
from evals.significance import bootstrap_interval, holm, paired_randomisation
from evals.significant_changes import ALPHA

METRIC = "mrr"
MARGIN = 0.02
"""The allowed loss of `mrr`."""

LEVEL = 0.08
"""Share of harmless changes refused if losses were normal; since a few questions move far, it is a tenth."""
OF_WHOLES = 0.055
"""The part of that level for lists over all books if several books are judged too, which have the rest."""
MOVED = 0.18
"""Root mean square of a question's movement by a harmless change: between seven versions of this program on three rule
books, a tenth of the questions moved, up as often as down, by 0.58 in root mean square."""

_DIGITS = 9
"""Digits of compared losses, so that one question of twenty, 0.05, is not a larger loss by its last bit."""

_Key = tuple[str, str, str]

Verdict = Literal["not worse", "undecided", "worse"]
"""`not worse`: a loss of the margin or more is outside the interval. `undecided`: it is not, but the loss is
neither significant nor larger than that of a harmless change. `worse`: refused."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Two lists of `mrr` over the same questions in the same order; at least one question."""

    ours: Sequence[float]
    """Reciprocal ranks, 0 if nothing was found."""
    theirs: Sequence[float]

    @property
    def gains(self) -> list[float]:
        """The gain of each question."""
        return [mine - other for mine, other in zip(self.ours, self.theirs, strict=True)]

    @property
    def moves(self) -> bool:
        """Whether any question gained or lost."""
        return any(self.gains)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement whether the first of two lists is acceptable in place of the second."""

    n: int
    difference: float
    """Mean of the first minus mean of the second."""
    low: float
    high: float
    """95 % bootstrap interval of the difference."""
    verdict: Verdict

    def __str__(self) -> str:
        """Return a phrase like `-0.083 (-0.150 to -0.010) over 20 questions`."""
        count = "1 question" if self.n == 1 else f"{self.n} questions"
        return f"{self.difference:+.3f} ({self.low:+.3f} to {self.high:+.3f}) over {count}"


def judge(wholes: Sequence[Paired], books: Sequence[Paired] = ()) -> tuple[Judgement, ...]:
    """Judge lists of questions together: the more of them move, the larger a loss must be to count as worse.

    Returns:
        A judgement for each of the wholes (lists over all books), then for each of the books, which are parts of them.
    """
    lists = (*wholes, *books)
    levels = _levels([whole.moves for whole in wholes], [book.moves for book in books])
    judgements = [_unjudged(paired.gains) for paired in lists]
    refused = [
        round(judgement.difference, _DIGITS) < -max(MARGIN, round(allowed(paired.gains, level), _DIGITS))
        for judgement, paired, level in zip(judgements, lists, levels, strict=True)
    ]
    # A list that needs no test still counts as one, because it might have looked worse by chance.
    chances = holm(
        {
            str(position): 1.0
            if refused[position] or judgement.difference >= 0 or judgement.low > -MARGIN
            else paired_randomisation(paired.ours, paired.theirs)
            for position, (judgement, paired) in enumerate(zip(judgements, lists, strict=True))
            if paired.moves
        }
    )
    verdicts = (
        _verdict(judgement, chances.get(str(position), 1.0), refused=refused[position])
        for position, judgement in enumerate(judgements)
    )
    return tuple(replace(judgement, verdict=verdict) for judgement, verdict in zip(judgements, verdicts, strict=True))


def _unjudged(gains: Sequence[float]) -> Judgement:
    interval = bootstrap_interval(gains)
    return Judgement(len(gains), sum(gains) / len(gains), interval.low, interval.high, "undecided")


def _verdict(judgement: Judgement, chance: float, *, refused: bool) -> Verdict:
    if judgement.low > -MARGIN:
        return "not worse"
    return "worse" if refused or (judgement.difference < 0 and chance < ALPHA) else "undecided"


def _levels(wholes: Sequence[bool], books: Sequence[bool]) -> list[float]:
    """Return the level of each list; only those with a question that moved can look worse by chance.

    If one book and one whole moved, both have the same questions to lose, and are one test.
    """
    n_wholes, n_books = max(1, sum(wholes)), sum(books)
    if n_books + n_wholes <= 2:
        return [LEVEL / n_wholes] * len(wholes) + [LEVEL] * len(books)
    of_wholes = OF_WHOLES if n_books else LEVEL
    return [of_wholes / n_wholes] * len(wholes) + [(LEVEL - of_wholes) / max(1, n_books)] * len(books)


def allowed(gains: Sequence[float], level: float) -> float:
    """Return the loss of a mean that a harmless change of these questions exceeds in a share `level` of cases.

    It is at least one whole question. A harmless change moves as many questions down as up, so the gains determine how
    much may be lost, if that is more than usual.
    """
    upward = sum(gain * gain for gain in gains if gain > 0) / len(gains)
    moved = max(MOVED, sqrt(2 * upward))
    return max(1 / len(gains), NormalDist().inv_cdf(1 - level) * moved / sqrt(len(gains)))


@dataclass(frozen=True, slots=True)
class PairedChange(Judgement):
    """`mrr` of one strategy compared with another index, over shared questions. Key: all but the numbers.

    A `Comparison` tests whether a difference is significant; this judges how large the loss may be.
    """

    split: str
    book: str
    """Slug, or `*` for all books and the questions about none."""
    strategy: str
    lost: tuple[str, ...]
    """Ids of the questions on which the candidate is worse."""

    def __str__(self) -> str:
        """Return a phrase like `people, book osric: -0.083 (-0.150 to -0.010) over 20 questions`."""
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


def paired_changes(candidate: Sequence[ScoredQuestion], other: Sequence[ScoredQuestion]) -> tuple[PairedChange, ...]:
    """Return the changes of every shared strategy and split, over all questions, then by book; judged together.

    A split about a single book is one change. Questions with another text are other questions, even with the same id.
    Empty if no strategy was asked the same question on both sides.
    """
    places = list(_places(candidate, other))
    wholes, books = ([questions for questions in places if (questions.book == ALL) == whole] for whole in (True, False))
    if not places:
        return ()
    judged = judge([whole.values for whole in wholes], [book.values for book in books])
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
