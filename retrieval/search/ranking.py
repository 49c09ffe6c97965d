"""What a way of searching hands to the retriever: positions in order, and how they came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.search.fusion import Leg, Positions, Scores
from retrieval.types import Addend, Decision


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
    """Chunks that a predicate excluded and that would be among the first k without it, by the first look where there
    are two; None: not looked for."""
    decisions: tuple[Decision, ...] | None = None
    """Made during the search where rounds matter; otherwise the retriever writes them."""
    rounds: int = 1

    def addends(self, place: int) -> tuple[Addend, ...]:
        """What the score at a place is made of."""
        return tuple(Addend(part.name, float(part.scores[place]), part.weight) for part in self.parts)

    def measured(self, place: int) -> Mapping[str, float]:
        """What was measured of the chunk at a place."""
        return {name: float(values[place]) for name, values in self.evidence.items()}
