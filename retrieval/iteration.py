"""One round of asking and filtering, and why no further round followed."""

from dataclasses import dataclass
from typing import Literal

StopReason = Literal["Target k reached", "No exclusions, stopping", "No more results", "Iteration limit reached"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One round: a question to the collections, and the filter over what they answered. Key: number."""

    number: int
    """1-based."""
    looked_at: int
    """Chunks that it brought, none of them seen before; 0 in a last round that found out that nothing is left."""
    excluded: int
    """Those of them that a predicate kept out."""
    milliseconds: float
    """Wall time of the round, its filter included."""
