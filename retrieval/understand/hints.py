"""Category hints (seed 004): chunks that may contain the answer are raised, and nothing is excluded."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from retrieval.errors import InvalidQueryError
from retrieval.types import Chunk, Hit, Retrieval

log = logging.getLogger(__name__)
_FALLBACK = 2
"""If a search finds nothing, this many times as many hits are requested."""

Relevance = Callable[[str, Sequence[str]], Sequence[float]]
"""(question, chunk ids of its ranking, the best first) -> relevance of each, 0 to 1."""
Find = Callable[[str, int], Retrieval]
"""(sub-query, k) -> the k best."""


@dataclass(frozen=True, slots=True)
class HintConfig:
    """The five settings of seed 004, with their names in lower case.

    Raises:
        InvalidQueryError: a number is out of its range.
    """

    enable_category_hints: bool = True
    category_hint_boost: float = 1.2
    """Factor for the relevance of a hit in a hinted category."""
    category_weight_multiplier: float = 1.0
    """Factor for every category weight."""
    fallback_on_empty_results: bool = True
    """Whether to search again without hints if nothing was found."""
    broaden_search_multiplier: int = 3
    """How many times more hits are ranked by category than are kept."""

    def __post_init__(self) -> None:
        for name in ("category_hint_boost", "category_weight_multiplier"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give a number above 0")
        if self.broaden_search_multiplier < 1:
            raise InvalidQueryError(f"broaden_search_multiplier is {self.broaden_search_multiplier}; give at least 1")


@dataclass(frozen=True, slots=True)
class HintedHit:
    """A hit with the effect of its category."""

    hit: Hit
    category: str | None
    original_relevance: float
    """0 to 1; increases with the score of the hit, and cannot be compared between questions."""
    adjusted_relevance: float
    """The same, times the boost; may be above 1."""
    category_boost: float
    relevance: float
    """0 to 1: how certain it is that the hit answers, if that is measured; else `original_relevance`."""


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
    """Return all hits, with those of hinted categories raised; ties keep their order.

    Args:
        hits: best first.
        category_hints: categories that get the boost of the settings.
        category_weights: categories that also get their own boost.
        config: the settings; without hints enabled every boost is 1.
        key: metadata key of the category, or several; a hit with hinted categories in two of them is raised once.
        relevances: relevance of each hit, measured for the question; None: not measured.
        log_odds: whether scores are log odds, as in the `default` strategy; else they are divided by the best.
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
    """Return the category of a chunk's document; None if it has none."""
    value = chunk.metadata.get(key)
    return None if value is None or isinstance(value, tuple | list) else str(value)


@dataclass(frozen=True, slots=True)
class HintedSearch:
    """Searches broadly, and ranks the hits by the hints."""

    config: HintConfig = HintConfig()
    key: str | Sequence[str] = "category"
    """Metadata key of the category, or several."""
    relevance: Relevance | None = None
    """None: a function of the score."""
    log_odds: bool = True
    """Whether scores are log odds: those of a strategy that re-ranks."""

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
        """Return the best `kept` hits of a broad search, with those of hinted categories raised.

        Args:
            sub_query: the question to search for.
            kept: the most hits to return.
            hints: categories that are raised by the boost of the settings.
            weights: additional boosts by category.
            may_broaden: whether a search that finds nothing is repeated, broader and without hints.
            part: the question for which relevance is measured; None: the sub-query.
        """
        question = sub_query if part is None else part
        log.info("Executing vector search with category hints: %s", list(hints))
        broad = kept * self.config.broaden_search_multiplier
        ranked = self.rank(question, find(sub_query, broad).hits, hints, weights)
        log.info("Retrieved %d chunks after re-ranking.", len(ranked[:kept]))
        if not ranked and self.config.fallback_on_empty_results and may_broaden:
            log.warning("No results found. Attempting broader search without hints.")
            ranked = self.rank(question, find(sub_query, broad * _FALLBACK).hits, (), {})
            log.info("Fallback search found %d results.", len(ranked))
            return ranked
        return ranked[:kept]

    def rank(
        self,
        query: str,
        hits: Sequence[Hit],
        hints: Collection[str],
        weights: Mapping[str, float],
    ) -> tuple[HintedHit, ...]:
        """Rank hits, given best first, by `rerank_by_categories`."""
        measured = self.relevance(query, [hit.chunk.id for hit in hits]) if self.relevance else None
        return rerank_by_categories(hits, hints, weights, self.config, self.key, measured, log_odds=self.log_odds)
