"""The part of a large library that one question looks at, and the evidence for chunks in it and beyond."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.index.words.selection import Selection
from retrieval.search.evidence.evidence import Evidence
from retrieval.search.fusion import Positions, Scores


@dataclass(frozen=True, slots=True, eq=False)
class Portion:
    """Some chunks of a snapshot; what is known of them is by their place among these."""

    chunks: Selection
    evidence: Evidence
    beyond: Callable[[Selection], Evidence]
    """The evidence for others, which stand beside a row that was found."""

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """Every part of these chunks, by their position in the snapshot."""
        which, places = self.chunks.meet(positions)
        if len(which) == len(positions):
            return self.evidence.at(places)
        others = np.ones(len(positions), dtype=np.bool_)
        others[which] = False
        new = Selection.of([positions[others]], self.chunks.n_documents)
        here, there = self.evidence.at(places), self.beyond(new).at(new.meet(positions[others])[1])
        measured = {name: np.zeros(len(positions)) for name in here}
        for name, values in measured.items():
            values[which], values[others] = here[name], there[name]
        return measured
