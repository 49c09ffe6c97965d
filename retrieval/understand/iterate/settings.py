"""How far a search in rounds goes."""

from dataclasses import dataclass

from retrieval.errors import InvalidQueryError

ENOUGH = 0.5
"""Relevance of what answers a question."""


@dataclass(frozen=True, slots=True)
class IterationSettings:
    """How long a search in rounds may go on.

    Raises:
        InvalidQueryError: a number is less than its least.
    """

    max_iterations: int = 3
    results_per_sub_query: int = 5
    max_seconds: float = 30.0
    """No round begins later."""
    max_tokens: int = 20_000
    """No round begins after models were paid for more."""
    enough: float = ENOUGH
    """Relevance, 0 to 1, of a fact that answers."""

    def __post_init__(self) -> None:
        for name, least in (("max_iterations", 1), ("results_per_sub_query", 1), ("max_seconds", 0), ("max_tokens", 0)):
            if getattr(self, name) < least:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give at least {least}")
