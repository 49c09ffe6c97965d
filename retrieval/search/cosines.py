"""Cosines of chunks with one question, computed for the chunks that are asked for."""

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
    """

    def __init__(self, vectors: Vector, vector: Vector) -> None:
        self._vectors, self._vector = vectors, vector

    @cached_property
    def all(self) -> Scores:
        """(n,)."""
        return similarity(self._vectors, self._vector)

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks, aligned with the positions."""
        if "all" in self.__dict__ or len(positions) * _SCATTERED > len(self._vectors):
            return self.all[positions]
        cosines = np.empty(len(positions))
        rows = np.empty((min(_BLOCK, len(positions)), self._vectors.shape[1]), dtype=self._vectors.dtype)
        for start in range(0, len(positions), _BLOCK):
            some = positions[start : start + _BLOCK]
            # `clip` alone writes into the array itself; no position is outside.
            block = self._vectors.take(some, axis=0, out=rows[: len(some)], mode="clip")
            cosines[start : start + len(some)] = similarity(block, self._vector)
        return cosines
