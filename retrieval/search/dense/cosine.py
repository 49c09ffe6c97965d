"""Cosine similarity from our own vectors, the same to the last bit wherever a chunk is met."""

from functools import cached_property

import numpy as np

from retrieval.search.fusion import Positions, Scores
from retrieval.types import Vector

_SCATTERED = 3
"""Rows here and there cost about this many times what rows in a line cost."""


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
        return similarity(self._vectors[positions], self._vector)
