"""A strategy beside the best other one, by set, book and what is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evals.aggregates import ALL
from evals.scored_questions import ScoredQuestion
from evals.significance import paired_randomisation
from evals.significant_changes import ALPHA

CELL_METRICS = ("hit@1", "hit@5", "hit@10")
SORTS: Mapping[str, str] = MappingProxyType(
    {
        "matrix-lookup": "look-up",
        "lookup": "look-up",
        "generated-lookup": "look-up",
        "rule": "rule",
        "generated-section": "rule",
    }
)
"""Kinds of questions by what they ask for: one row of a table, or a passage. Other kinds are in no cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A strategy and the best other one over the same questions. Key: (set, split, book, sort, metric)."""

    set: str
    """`*` for all sets together."""
    split: str
    book: str
    """`*` for all books of the set."""
    sort: str
    """A value of `SORTS`."""
    metric: str
    n: int
    value: float
    other: str
    """Name of the best other strategy; of equal ones the one of the smaller p, then the one that was asked first."""
    other_value: float
    p: float
    """Two-sided, paired randomisation of the two; not corrected for the choice of the best, nor for other cells."""
    ahead: tuple[str, ...]
    """All strategies that are better beyond chance (p < 0.05), in the order in which they were asked."""


def cells(rows: Sequence[ScoredQuestion], strategy: str = "default") -> tuple[Cell, ...]:
    """All cells of these rows: every set by book, then its books together, then all sets together.

    Empty where the strategy or another one was not asked. `rows` are those of any number of sets.
    """
    names = list(dict.fromkeys(row.strategy for row in rows))
    if strategy not in names or len(names) < 2:
        return ()
    others = [name for name in names if name != strategy]
    cells: list[Cell] = []
    for (name, split, book), members in _groups(rows).items():
        for sort in dict.fromkeys(SORTS.values()):
            query = [row for row in members if SORTS.get(row.kind) == sort and row.gold]
            if query:
                by_strategy = _aligned(query, [strategy, *others])
                cells += [_cell((name, split, book, sort), metric, strategy, by_strategy) for metric in CELL_METRICS]
    return tuple(cells)


def _groups(rows: Sequence[ScoredQuestion]) -> dict[tuple[str, str, str], list[ScoredQuestion]]:
    groups: dict[tuple[str, str, str], list[ScoredQuestion]] = {}
    for name, split in dict.fromkeys((row.set, row.split) for row in rows):
        members = [row for row in rows if (row.set, row.split) == (name, split)]
        for book in sorted({row.book for row in members} - {""}):
            groups[name, split, book] = [row for row in members if row.book == book]
        groups[name, split, ALL] = members
    for split in dict.fromkeys(row.split for row in rows):
        if sum(group[1:] == (split, ALL) for group in groups) > 1:
            groups[ALL, split, ALL] = [row for row in rows if row.split == split]
    return groups


def _aligned(rows: Sequence[ScoredQuestion], names: Sequence[str]) -> dict[str, list[ScoredQuestion]]:
    """Rows by strategy, in one order of questions."""
    places = {name: {(row.set, row.question_id): row for row in rows if row.strategy == name} for name in names}
    questions = list(dict.fromkeys((row.set, row.question_id) for row in rows))
    shared = [question for question in questions if all(question in known for known in places.values())]
    return {name: [known[question] for question in shared] for name, known in places.items()}


def _cell(
    place: tuple[str, str, str, str], metric: str, strategy: str, rows: Mapping[str, Sequence[ScoredQuestion]]
) -> Cell:
    values = {name: [row.values[metric] for row in own] for name, own in rows.items()}
    mine = values.pop(strategy)
    n, value = len(mine), sum(mine) / len(mine)
    means = {name: sum(own) / n for name, own in values.items()}
    highest = max(means.values())
    # what is neither the best nor better needs no test
    p = {
        name: paired_randomisation(mine, values[name])
        for name, mean in means.items()
        if mean == highest or mean > value
    }
    best = min((name for name in p if means[name] == highest), key=lambda name: p[name])
    ahead = tuple(name for name in p if means[name] > value and p[name] < ALPHA)
    return Cell(*place, metric, n, value, best, highest, p[best], ahead)
