"""Documents ranked by a topic, those of hinted categories raised."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrieval.search.metadata_filter.filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.understand.analysis import QueryAnalysis
from retrieval.understand.decompose.decomposition import Decomposition
from retrieval.understand.hints import HintedSearch
from retrieval.understand.self_query.conditions import CategoryHint
from retrieval.understand.self_query.documents import Documents, FoundDocument

log = logging.getLogger(__name__)
_MEASURED = 5
"""Documents at least that relevance is measured among: the best of fewer seems less sure."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What documents are ranked by."""

    hinted: HintedSearch
    query: str
    """What is searched: the question without its conditions."""
    raised: tuple[str, ...] = ()
    """Categories that get the boost of the settings."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Those that get a weight of their own."""

    @classmethod
    def of(
        cls,
        hinted: HintedSearch,
        analysis: QueryAnalysis,
        hints: Sequence[CategoryHint],
        guessed: Decomposition | None,
        *,
        filtered: bool,
    ) -> "Ranking":
        """The ranking for a question.

        Args:
            hinted: boosts relevance.
            analysis: of the question.
            hints: that the question states.
            guessed: a decomposition of it, whose hints and weights count too.
            filtered: whether conditions are used, which the topic then leaves out.
        """
        # A category in the text is evidence like any other word.
        topic = " ".join((analysis.topic, *(hint.text for hint in hints))).strip()
        raised = raised_categories(hints, guessed)
        query = (topic if filtered else "") or analysis.original_query
        return cls(hinted, query, raised, guessed.category_weights if guessed else {})

    def best(
        self, documents: Documents, retriever: Retriever, k: int, where: Filter | None, strategy: str | Strategy
    ) -> tuple[FoundDocument, ...]:
        """The k best documents: of a broad search where something hints at categories."""
        hints = bool(self.raised or self.weights)
        broad = k * self.hinted.config.broaden_search_multiplier if hints else k
        broad = max(broad, _MEASURED) if self.hinted.relevance else broad
        if hints:
            log.info("Executing vector search with category hints: %s", list(self.raised))
        found = {
            each.hit.chunk.id: each
            for each in documents.best(retriever, self.query, broad, where, strategy)
            if each.hit
        }
        hits = [each.hit for each in found.values() if each.hit]
        scores_are_log_odds = (strategy if isinstance(strategy, str) else strategy.name) == "default"
        ranked = self.hinted.rank(self.query, hits, self.raised, self.weights, log_odds=scores_are_log_odds)[:k]
        if hints:
            log.info("Retrieved %d chunks after re-ranking.", len(ranked))
        return tuple(replace(found[hit.hit.chunk.id], hinted=hit) for hit in ranked)


def raised_categories(hints: Sequence[CategoryHint], guessed: Decomposition | None) -> tuple[str, ...]:
    """The categories that get the boost of the settings: those that a question names, and those that are guessed."""
    return tuple(dict.fromkeys((*(hint.value for hint in hints), *(guessed.category_hints if guessed else ()))))
