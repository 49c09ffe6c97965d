"""The settings of self-querying, by the names of seed 003."""

from dataclasses import dataclass, field

from retrieval.errors import InvalidQueryError
from retrieval.understand.hints import HintConfig


@dataclass(frozen=True, slots=True)
class SelfQueryConfig:
    """How questions become filters, and when filters are dropped.

    Raises:
        InvalidQueryError: a number is out of its range; the message names it.
    """

    llm_model: str = "gpt-4o-mini"
    """Seed 003 names gpt-3.5-turbo, which knows no structured output."""
    llm_temperature: float = 0.0
    llm_max_tokens: int = 500
    filter_confidence_threshold: float = 0.7
    """A condition that is less certain is not used."""
    max_filter_conditions: int = 5
    """The most certain conditions that are used."""
    fallback_on_empty: bool = True
    """Whether a filter that leaves nothing is relaxed."""
    fallback_threshold: float = 0.5
    """An analysis that is less certain filters nothing."""
    hint_fields: tuple[str, ...] = ("category", "doc_type")
    """Fields whose values in a question are hints: they raise documents and exclude none."""
    hints: HintConfig = field(default_factory=HintConfig)
    cache_analysis: bool = True
    cache_ttl_seconds: int = 3600

    def __post_init__(self) -> None:
        for name in ("filter_confidence_threshold", "fallback_threshold"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give a number from 0 to 1")
        for name in ("llm_max_tokens", "max_filter_conditions", "cache_ttl_seconds"):
            if getattr(self, name) < 1:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give a whole number, at least 1")
        if not 0 <= self.llm_temperature <= 2:
            raise InvalidQueryError(f"llm_temperature is {self.llm_temperature}; give a number from 0 to 2")


DEFAULTS = SelfQueryConfig()
