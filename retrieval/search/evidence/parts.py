"""One part of the evidence for every chunk, kept as small as it is: for all chunks, a number a table, or for few."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from retrieval.index.words.selection import Selection
from retrieval.search.dense.cosine import Cosines
from retrieval.search.fusion import Positions, Scores


@dataclass(frozen=True, slots=True, eq=False)
class OfAll:
    """A score for every chunk."""

    scores: Scores
    """(n,)."""
    scale: float
    """What they are multiplied by."""

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        return self.scores[positions] * self.scale


@dataclass(frozen=True, slots=True, eq=False)
class OfTables:
    """One score for all the rows of a table, or for one passage."""

    scores: Scores
    """(numbers,)."""
    of: npt.NDArray[np.int32]
    """(n,): number of each chunk's table or passage."""

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        scores: Scores = self.scores[self.of[positions]]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class OfFew:
    """A score for few chunks, 0 for all others."""

    positions: Positions
    """(m,), rising."""
    scores: Scores
    """(m,)."""

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        if not len(self.positions):
            return np.zeros(len(positions))
        if positions is self.positions:
            return self.scores
        place = np.minimum(np.searchsorted(self.positions, positions), len(self.positions) - 1)
        return np.where(self.positions[place] == positions, self.scores[place], 0.0)

    def among(self, selection: Selection) -> "OfFew":
        """The same for the chunks of a selection, by their place in it."""
        which, place = selection.meet(self.positions)
        return OfFew(place, self.scores[which])


@dataclass(frozen=True, slots=True, eq=False)
class OfCosines:
    """The cosine, where it is above 0."""

    cosines: Cosines

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        return np.maximum(self.cosines.at(positions), 0.0)


Part = OfAll | OfTables | OfFew | OfCosines


class Measures(Protocol):
    """Knows every part of the evidence for chunks."""

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """Every part of these chunks, by their position in the snapshot."""
