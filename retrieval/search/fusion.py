"""Scores of chunks: cosines with a question, fusion of scaled scores, and rankings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.types import Addend, Decision, Iteration, StopReason, Vector

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

_OUT = 1e300
"""Larger than all scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """One way of scoring every document."""

    scores: Scores
    """(n,)."""
    weight: float = 1.0
    name: str = ""

    def scaled(self, scores: Scores, weight: float) -> "Leg":
        """Return the same leg with these scores and this weight."""
        return Leg(scores, weight, self.name)


def total(legs: Sequence[Leg]) -> Scores:
    """Return the weighted sum of scores, (n,)."""
    if len(legs) == 1:
        return legs[0].weight * legs[0].scores
    summed: Scores = np.sum([leg.weight * leg.scores for leg in legs], axis=0)
    return summed


def min_max(scores: Scores) -> Scores:
    """Return scores scaled to 0-1 by their smallest and largest; all zeros if they are all equal."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low + 1e-9)


def weighted_min_max(leg: Leg) -> Leg:
    """Return the leg with min-max scores over all documents."""
    return leg.scaled(min_max(leg.scores), leg.weight)


def best(scores: Scores, k: int, allowed: Mask | None = None) -> Positions:
    """Return the positions of the k best scores, best first; ties by position.

    Args:
        scores: (n,).
        k: the most positions to return.
        allowed: (n,); False for positions that may not be returned. They are dropped, not scored low.
    """
    values = scores if allowed is None else _kept(scores, allowed)
    wanted = min(k, len(scores) if allowed is None else int(np.count_nonzero(allowed)))
    if wanted < 1:
        return np.empty(0, dtype=np.int64)
    bound = _reached_by(values, wanted)
    pool = np.flatnonzero(values > bound)
    if len(pool) < wanted:
        # At least `wanted` values reach the bound, so the missing ones equal it; the first positions win.
        pool = np.concatenate([pool, np.flatnonzero(values == bound)[: wanted - len(pool)]])
    order: Positions = pool[np.argsort(-scores[pool], kind="stable")][:wanted]
    return order


def _kept(scores: Scores, allowed: Mask) -> Scores:
    """Return the scores, with all that are not allowed lower than any other; unlike `np.where`, without a branch per
    chunk."""
    values = allowed.astype(np.float64)
    values -= 1.0
    values *= _OUT
    values += scores
    return values


def _reached_by(values: Scores, wanted: int) -> float:
    """Return a value that at least `wanted` of the values reach: near the smallest of the best, and cheap to find."""
    width = len(values) // (4 * wanted)
    # The largest of each group of `width`: `wanted` groups contain `wanted` values that are not smaller.
    peaks = values[: len(values) // width * width].reshape(width, -1).max(axis=0) if width > 1 else values
    return float(np.partition(peaks, len(peaks) - wanted)[len(peaks) - wanted])


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """At most k chunks, best first."""

    positions: Positions
    scores: Scores
    evidence: Mapping[str, Scores] = field(default_factory=dict)
    """Measured values by name, aligned with `positions`."""
    parts: Sequence[Leg] = ()
    """The addends of the scores, with their weights, aligned with `positions`."""
    displaced: Positions | None = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Chunks excluded by a predicate that would be among the first k without it, by first score if there is a
    re-ranker; None: not determined."""
    decisions: tuple[Decision, ...] | None = None
    """Made during the search if rounds matter; otherwise the retriever makes them."""
    rounds: int = 1
    iterations: tuple[Iteration, ...] = ()
    stopped: StopReason | None = None

    def addends(self) -> Iterator[tuple[Addend, ...]]:
        """Yield the addends of the score at each position."""
        parts = [(part.name, part.scores.tolist(), part.weight) for part in self.parts]
        for number in range(len(self.positions)):
            yield tuple([Addend(name, scores[number], weight) for name, scores, weight in parts])

    def measured(self) -> Iterator[Mapping[str, float]]:
        """Yield the measured values of the chunk at each position."""
        measured = {name: values.tolist() for name, values in self.evidence.items()}
        for number in range(len(self.positions)):
            yield {name: values[number] for name, values in measured.items()}


_SCATTERED = 1.6
"""Scattered rows cost about this many times as much as contiguous rows."""
_BLOCK = 256
"""Rows that are gathered before they are compared: as many as fit in a core's cache."""


def similarity(vectors: Vector, vector: Vector) -> Scores:
    """Return the cosine of each row with one vector, both normalised, (n,).

    Each row is a separate dot product: its value does not depend on its neighbours, so twins tie exactly. A matrix
    product is not faster here, and gives identical rows different last bits depending on their position.
    """
    scores: Scores = np.vecdot(vectors, vector).astype(np.float64)
    return scores


class Cosines:
    """The cosines of all chunks with one question, computed only for the chunks requested.

    Args:
        vectors: (n, dimensions), normalised.
        vector: (dimensions,), normalised.
    """

    def __init__(self, vectors: Vector, vector: Vector) -> None:
        self._vectors, self._vector = vectors, vector

    @cached_property
    def all(self) -> Scores:
        """(n,) the cosines of all chunks."""
        return similarity(self._vectors, self._vector)

    def at(self, positions: Positions) -> Scores:
        """Return the cosines of these chunks, aligned with the positions."""
        if "all" in self.__dict__ or len(positions) * _SCATTERED > len(self._vectors):
            return self.all[positions]
        cosines = np.empty(len(positions))
        rows = np.empty((min(_BLOCK, len(positions)), self._vectors.shape[1]), dtype=self._vectors.dtype)
        for start in range(0, len(positions), _BLOCK):
            some = positions[start : start + _BLOCK]
            # Only the mode `clip` writes directly into the array; no position is out of bounds.
            block = self._vectors.take(some, axis=0, out=rows[: len(some)], mode="clip")
            cosines[start : start + len(some)] = similarity(block, self._vector)
        return cosines
