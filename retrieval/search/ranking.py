"""What a way of searching hands to the retriever: positions in order, and how they came about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from retrieval.search.fusion import Positions, Scores
from retrieval.types import Decision


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """At most k chunks, best first."""

    positions: Positions
    scores: Scores
    evidence: Mapping[str, Scores] = field(default_factory=dict)
    """Parts of the score by name, aligned with `positions`."""
    displaced: Positions = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Chunks that a predicate excluded and that would stand among the first k without it."""
    decisions: tuple[Decision, ...] | None = None
    """Made during the search where rounds matter; otherwise the retriever writes them."""
    rounds: int = 1
