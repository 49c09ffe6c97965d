"""Category hints: what may hold the answer is raised, and nothing is excluded. Seed 004."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from retrieval.errors import InvalidQueryError
from retrieval.types import Chunk, Hit


@dataclass(frozen=True, slots=True)
class HintConfig:
    """The five settings of seed 004, by its names in small letters.

    Raises:
        InvalidQueryError: a number is out of its range.
    """

    enable_category_hints: bool = True
    category_hint_boost: float = 1.2
    """What the relevance of a hit in a hinted category is multiplied by."""
    category_weight_multiplier: float = 1.0
    """What every category weight is multiplied by."""
    fallback_on_empty_results: bool = True
    """Search again without hints where nothing was found."""
    broaden_search_multiplier: int = 3
    """Times as many hits are ranked by their categories as are kept."""

    def __post_init__(self) -> None:
        for name in ("category_hint_boost", "category_weight_multiplier"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give a number above 0")
        if self.broaden_search_multiplier < 1:
            raise InvalidQueryError(f"broaden_search_multiplier is {self.broaden_search_multiplier}; give at least 1")


@dataclass(frozen=True, slots=True)
class HintedHit:
    """A hit with what its category made of it."""

    hit: Hit
    category: str | None
    original_relevance: float
    """0 to 1; rises with the score of the hit."""
    adjusted_relevance: float
    """The same, times the boost; may be above 1."""
    category_boost: float


def rerank_by_categories(
    hits: Sequence[Hit],
    category_hints: Collection[str],
    category_weights: Mapping[str, float],
    config: HintConfig = HintConfig(),
    key: str = "category",
) -> tuple[HintedHit, ...]:
    """All hits, those of hinted categories raised; equal ones stay in their order.

    Args:
        hits: of the `default` strategy, whose scores are log odds; best first.
        category_hints: get the boost of the settings.
        category_weights: get a boost of their own as well.
        config: the settings; without hints enabled every boost is 1.
        key: metadata key of the category.
    """
    hinted = []
    for hit in hits:
        category = category_of(hit.chunk, key)
        boost = 1.0
        if config.enable_category_hints and category in category_hints:
            boost *= config.category_hint_boost
        if config.enable_category_hints and category is not None and category in category_weights:
            boost *= category_weights[category] * config.category_weight_multiplier
        relevance = 1 / (1 + exp(-hit.score))
        hinted.append(HintedHit(hit, category, relevance, relevance * boost, boost))
    return tuple(sorted(hinted, key=lambda each: -each.adjusted_relevance))


def category_of(chunk: Chunk, key: str = "category") -> str | None:
    """The category of a chunk's document; None without one."""
    value = chunk.metadata.get(key)
    return None if value is None or isinstance(value, tuple | list) else str(value)
