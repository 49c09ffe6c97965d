"""Fusion of scaled scores, and rankings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.types import Addend, Decision, Iteration, StopReason

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

_OUT = 1e300
"""Above all scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """One way of scoring every document."""

    scores: Scores
    """(n,)."""
    weight: float = 1.0
    name: str = ""

    def scaled(self, scores: Scores, weight: float) -> "Leg":
        """The same leg with these scores and this weight."""
        return Leg(scores, weight, self.name)


def total(legs: Sequence[Leg]) -> Scores:
    """Sum of scores by weight, (n,)."""
    if len(legs) == 1:
        return legs[0].weight * legs[0].scores
    summed: Scores = np.sum([leg.weight * leg.scores for leg in legs], axis=0)
    return summed


def min_max(scores: Scores) -> Scores:
    """Scores moved to 0-1 by their smallest and largest; all zeros when they are all the same."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low + 1e-9)


def weighted_min_max(leg: Leg) -> Leg:
    """Min-max scores over all documents."""
    return leg.scaled(min_max(leg.scores), leg.weight)


def best(scores: Scores, k: int, allowed: Mask | None = None) -> Positions:
    """Positions of the k best scores, best first; equal scores by position.

    Args:
        scores: (n,).
        k: how many at most.
        allowed: (n,); positions that may not come back are False. They are dropped, not scored low.
    """
    values = scores if allowed is None else _kept(scores, allowed)
    wanted = min(k, len(scores) if allowed is None else int(np.count_nonzero(allowed)))
    if wanted < 1:
        return np.empty(0, dtype=np.int64)
    bound = _reached_by(values, wanted)
    pool = np.flatnonzero(values > bound)
    if len(pool) < wanted:
        # At least `wanted` values reach the bound, so what is missing equals it; the first positions win.
        pool = np.concatenate([pool, np.flatnonzero(values == bound)[: wanted - len(pool)]])
    order: Positions = pool[np.argsort(-scores[pool], kind="stable")][:wanted]
    return order


def _kept(scores: Scores, allowed: Mask) -> Scores:
    """The scores of the allowed as they are, all others lower; without a branch a chunk, as `np.where` has one."""
    values = allowed.astype(np.float64)
    values -= 1.0
    values *= _OUT
    values += scores
    return values


def _reached_by(values: Scores, wanted: int) -> float:
    """A value that at least `wanted` of the values reach: near the smallest of the best, and cheap to find."""
    width = len(values) // (4 * wanted)
    # The largest of each heap of `width`: `wanted` heaps hold `wanted` values that are no smaller.
    peaks = values[: len(values) // width * width].reshape(width, -1).max(axis=0) if width > 1 else values
    return float(np.partition(peaks, len(peaks) - wanted)[len(peaks) - wanted])


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """At most k chunks, best first."""

    positions: Positions
    scores: Scores
    evidence: Mapping[str, Scores] = field(default_factory=dict)
    """What was measured by name, aligned with `positions`."""
    parts: Sequence[Leg] = ()
    """What the scores are the weighted sum of, aligned with `positions`."""
    displaced: Positions | None = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Chunks that a predicate excluded and that would be among the first k without it, at first sight where trees
    are two; None: not looked for."""
    decisions: tuple[Decision, ...] | None = None
    """Made during the search where rounds matter; otherwise the retriever writes them."""
    rounds: int = 1
    iterations: tuple[Iteration, ...] = ()
    stopped: StopReason | None = None

    def addends(self) -> Iterator[tuple[Addend, ...]]:
        """What the score at each place is made of."""
        parts = [(part.name, part.scores.tolist(), part.weight) for part in self.parts]
        for number in range(len(self.positions)):
            yield tuple([Addend(name, scores[number], weight) for name, scores, weight in parts])

    def measured(self) -> Iterator[Mapping[str, float]]:
        """What was measured of the chunk at each place."""
        measured = {name: values.tolist() for name, values in self.evidence.items()}
        for number in range(len(self.positions)):
            yield {name: values[number] for name, values in measured.items()}
