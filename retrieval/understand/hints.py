"""Category hints: what may hold the answer is raised, and nothing is excluded. Seed 004."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from retrieval.errors import InvalidQueryError
from retrieval.types import Chunk, Hit, Retrieval

log = logging.getLogger(__name__)
_FALLBACK = 2
"""Times as many hits as usual are asked for where a search found nothing."""

Relevance = Callable[[str, Sequence[str]], Sequence[float]]
"""(question, chunk ids of its ranking, the best first) -> relevance of each, 0 to 1."""
Find = Callable[[str, int], Retrieval]
"""(sub-query, k) -> the k best."""


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
    """0 to 1; rises with the score of the hit, and says nothing between two questions."""
    adjusted_relevance: float
    """The same, times the boost; may be above 1."""
    category_boost: float
    relevance: float
    """0 to 1: how sure it is that the hit answers, where that is measured; else `original_relevance`."""


def rerank_by_categories(
    hits: Sequence[Hit],
    category_hints: Collection[str],
    category_weights: Mapping[str, float],
    config: HintConfig = HintConfig(),
    key: str | Sequence[str] = "category",
    relevances: Sequence[float] | None = None,
    *,
    log_odds: bool = True,
) -> tuple[HintedHit, ...]:
    """All hits, those of hinted categories raised; equal ones stay in their order.

    Args:
        hits: best first.
        category_hints: get the boost of the settings.
        category_weights: get a boost of their own as well.
        config: the settings; without hints enabled every boost is 1.
        key: metadata key of the category, or several; a hit that two of them hint at is raised once.
        relevances: of the hits, as they are measured for the question; None: they are not measured.
        log_odds: whether scores are log odds, as those of the `default` strategy; else they are shares of the best.
    """
    keys = (key,) if isinstance(key, str) else tuple(key)
    best = max((hit.score for hit in hits), default=0.0)
    originals = [1 / (1 + exp(-hit.score)) if log_odds else max(hit.score, 0.0) / (best or 1.0) for hit in hits]
    ranked = []
    for hit, original, relevance in zip(hits, originals, relevances or originals, strict=True):
        categories = tuple(dict.fromkeys(filter(None, (category_of(hit.chunk, name) for name in keys))))
        boost = 1.0
        if config.enable_category_hints:
            hinted = any(category in category_hints for category in categories)
            boost *= config.category_hint_boost if hinted else 1.0
            for category in categories:
                if category in category_weights:
                    boost *= category_weights[category] * config.category_weight_multiplier
        ranked.append(HintedHit(hit, next(iter(categories), None), original, original * boost, boost, relevance))
    return tuple(sorted(ranked, key=lambda hinted: -hinted.adjusted_relevance))


def category_of(chunk: Chunk, key: str = "category") -> str | None:
    """The category of a chunk's document; None without one."""
    value = chunk.metadata.get(key)
    return None if value is None or isinstance(value, tuple | list) else str(value)


@dataclass(frozen=True, slots=True)
class HintedSearch:
    """Searches broadly, and ranks what it finds by the hints."""

    config: HintConfig = HintConfig()
    key: str | Sequence[str] = "category"
    """Metadata key of the category, or several."""
    relevance: Relevance | None = None
    """None: a function of the score."""

    def search(
        self,
        sub_query: str,
        kept: int,
        hints: Collection[str],
        weights: Mapping[str, float],
        find: Find,
        *,
        may_broaden: bool,
        part: str | None = None,
    ) -> tuple[HintedHit, ...]:
        """The best `kept` hits of a broad search, those of hinted categories raised.

        Args:
            sub_query: what is searched.
            kept: how many hits at most.
            hints: categories that are raised by the boost of the settings.
            weights: by category, a boost of its own.
            find: searches.
            may_broaden: whether a search that finds nothing is made again, broader and without hints.
            part: what relevance is measured for; None: the sub-query.
        """
        question = sub_query if part is None else part
        log.info("Executing vector search with category hints: %s", list(hints))
        broad = find(sub_query, kept * self.config.broaden_search_multiplier)
        ranked = self.rank(question, broad.hits, hints, weights)
        log.info("Retrieved %d chunks after re-ranking.", len(ranked[:kept]))
        if not ranked and self.config.fallback_on_empty_results and may_broaden:
            log.warning("No results found. Attempting broader search without hints.")
            ranked = self.rank(question, find(sub_query, kept * _FALLBACK).hits, (), {})
            log.info("Fallback search found %d results.", len(ranked))
            return ranked
        return ranked[:kept]

    def rank(
        self,
        query: str,
        hits: Sequence[Hit],
        hints: Collection[str],
        weights: Mapping[str, float],
        *,
        log_odds: bool = True,
    ) -> tuple[HintedHit, ...]:
        """Hits of a ranking, the best first, by `rerank_by_categories`."""
        measured = self.relevance(query, [hit.chunk.id for hit in hits]) if self.relevance else None
        return rerank_by_categories(hits, hints, weights, self.config, self.key, measured, log_odds=log_odds)
