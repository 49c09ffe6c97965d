"""Cosines of chunks with one question, computed only for the chunks requested."""

from functools import cached_property

import numpy as np

from retrieval.search.fusion import Positions, Scores
from retrieval.types import Vector

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
