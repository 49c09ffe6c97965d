"""What a way of searching hands to the retriever: positions in order, and how they came about."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.decision import Decision
from retrieval.iteration import Iteration, StopReason
from retrieval.search.fusion import Leg, Positions, Scores
from retrieval.types import Addend


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
    iterations: tuple[Iteration, ...] = ()
    stopped: StopReason | None = None

    def addends(self) -> Iterator[tuple[Addend, ...]]:
        """What the score at each place is made of."""
        parts = [(part.name, part.scores.tolist(), part.weight) for part in self.parts]
        for place in range(len(self.positions)):
            yield tuple([Addend(name, scores[place], weight) for name, scores, weight in parts])

    def measured(self) -> Iterator[Mapping[str, float]]:
        """What was measured of the chunk at each place."""
        measured = {name: values.tolist() for name, values in self.evidence.items()}
        for place in range(len(self.positions)):
            yield {name: values[place] for name, values in measured.items()}
