"""How many chunks an assistant is given: what more of them add, and what they bring along."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.metrics import DEPTH
from evals.noise import Relatives, noise
from evals.scored_questions import ScoredQuestion

COUNTS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, DEPTH)


@dataclass(frozen=True, slots=True)
class Shown:
    """The first k of the rankings that were asked for with 100. Key: k."""

    k: int
    recall: float
    """Mean share of the gold that is among them."""
    noise: float
    """Mean number of siblings of the right row among them."""


def shown_at(rows: Sequence[ScoredQuestion], relatives: Relatives, counts: Sequence[int] = COUNTS) -> tuple[Shown, ...]:
    """What each k shows, over the questions with gold; nothing where there are none.

    Args:
        rows: of one strategy.
        relatives: the chunks that were searched.
        counts: values of k, at most 100.
    """
    asked = [row for row in rows if row.gold]
    if not asked:
        return ()
    return tuple(
        Shown(
            k,
            sum(len(set(row.gold).intersection(row.deep_chunk_ids[:k])) / len(row.gold) for row in asked) / len(asked),
            sum(noise(row.deep_chunk_ids, row.gold, relatives, k) for row in asked) / len(asked),
        )
        for k in sorted(set(counts))
    )


def enough(points: Sequence[Shown], current: int) -> int:
    """The least k that shows as much of the gold as `current`, which is one of the points."""
    wanted = next(each.recall for each in points if each.k == current)
    return min(each.k for each in points if each.recall >= wanted)
