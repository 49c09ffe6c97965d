"""Cosine similarity from our own vectors, the same to the last bit wherever a chunk is met."""

from functools import cached_property

import numpy as np

from retrieval.search.fusion import Positions, Scores
from retrieval.types import Vector

_SCATTERED = 1.6
"""Rows here and there cost about this many times what rows in a line cost."""
_BLOCK = 256
"""Rows that are brought together before they are compared: so many stay in a core's cache."""


def similarity(vectors: Vector, vector: Vector) -> Scores:
    """Cosine of each row with one vector, both normalised, (n,).

    Each row is a dot product of its own: its value does not depend on its neighbours, so twins tie exactly. A matrix
    product is no faster here, and gives identical rows different last bits depending on where they are.
    """
    scores: Scores = np.vecdot(vectors, vector).astype(np.float64)
    return scores


class Cosines:
    """The cosines of every chunk with one question, computed for the chunks that somebody asks for.

    Args:
        vectors: (n, dimensions), normalised.
        vector: (dimensions,), normalised.
        among: the chunks that are looked at, which are then asked for by their place among these; None: all.
    """

    def __init__(self, vectors: Vector, vector: Vector, among: Positions | None = None) -> None:
        self._vectors, self._vector, self._among = vectors, vector, among

    @cached_property
    def all(self) -> Scores:
        """(n,)."""
        if self._among is not None:
            return self._scattered(self._among)
        return similarity(self._vectors, self._vector)

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks, aligned with the positions."""
        if self._among is not None:
            return self.all[positions] if "all" in self.__dict__ else self._scattered(self._among[positions])
        if "all" in self.__dict__ or len(positions) * _SCATTERED > len(self._vectors):
            return self.all[positions]
        return self._scattered(positions)

    def _scattered(self, positions: Positions) -> Scores:
        found = np.empty(len(positions))
        rows = np.empty((min(_BLOCK, len(positions)), self._vectors.shape[1]), dtype=self._vectors.dtype)
        for start in range(0, len(positions), _BLOCK):
            some = positions[start : start + _BLOCK]
            # `clip` alone writes into the array itself; no position is outside.
            block = self._vectors.take(some, axis=0, out=rows[: len(some)], mode="clip")
            found[start : start + len(some)] = similarity(block, self._vector)
        return found
