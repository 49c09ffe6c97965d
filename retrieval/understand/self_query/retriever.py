"""Question in, documents out: conditions on metadata are read from the question, and never empty it by accident."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.errors import FallbackActivatedError, InvalidQueryError, QueryAnalysisError
from retrieval.kept import Kept
from retrieval.search.metadata_filter.filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Chunk
from retrieval.understand.analysis import Analyzer, QueryAnalysis, QueryIntent
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.self_query.analyzer import QueryAnalyzer
from retrieval.understand.self_query.conditions import FieldCondition, FilterTranslator, together
from retrieval.understand.self_query.config import DEFAULTS, SelfQueryConfig
from retrieval.understand.self_query.documents import Documents, FoundDocument, Group, grouped
from retrieval.understand.self_query.fallback import Fallback, FallbackHandler
from retrieval.understand.self_query.model_analyzer import ModelAnalyzer
from retrieval.understand.self_query.planner import QueryPlan, QueryPlanner

if TYPE_CHECKING:
    from retrieval.models.openai_client import GivenClient


@dataclass(frozen=True, slots=True)
class SelfQueryResult:
    """Documents, and how the question was understood."""

    documents: tuple[FoundDocument, ...]
    """At most `top_k`, best first where a topic was asked; of a filter alone, in the order of their names."""
    total: int
    """Documents that meet the conditions that were used; all where none was."""
    analysis: QueryAnalysis
    conditions: tuple[FieldCondition, ...]
    """That were used."""
    filter: Filter | None
    plan: QueryPlan
    fallbacks: tuple[Fallback, ...] = ()
    groups: tuple[Group, ...] = ()
    """Of an aggregate by a field: documents by value, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Understood:
    """A question before anything is searched."""

    analysis: QueryAnalysis
    conditions: tuple[FieldCondition, ...]
    """That are used."""
    documents: tuple[FoundDocument, ...]
    """Those that meet the conditions, in the order of their names; all without conditions."""
    fallbacks: tuple[Fallback, ...]


class SelfQueryRetriever:
    """Retrieves documents with the conditions that a question itself states. Any number of threads may share one.

    Args:
        vector_store: searches the index.
        llm_client: an OpenAI client, or any with its interface; None: questions are read without a model.
        fallback_threshold: an analysis that is less certain filters nothing.
        config: the other settings; its own `fallback_threshold` gives way to the argument.
        analyzer: another way to read questions.
        today: what `last month` goes back from.
        strategy: how topics are ranked.
        chunks: those of the index in their order, where somebody reads them for another purpose too.
    """

    def __init__(
        self,
        vector_store: Retriever,
        llm_client: "GivenClient | None" = None,
        fallback_threshold: float = 0.5,
        *,
        config: SelfQueryConfig = DEFAULTS,
        analyzer: Analyzer | None = None,
        today: Callable[[], date] = date.today,
        strategy: str | Strategy = "default",
        chunks: Iterable[Chunk] | None = None,
    ) -> None:
        self.config = replace(config, fallback_threshold=fallback_threshold)
        self.vector_store, self.strategy = vector_store, strategy
        self.planner, self.fallback = QueryPlanner(), FallbackHandler(self.config)
        self._given, self._client, self._today = analyzer, llm_client, today
        self._chunks = vector_store.snapshot.chunks if chunks is None else chunks
        seconds = config.cache_ttl_seconds if config.cache_analysis else 0
        self._analyses: Kept[tuple[str, date], QueryAnalysis] = Kept(seconds)

    @cached_property
    def catalog(self) -> Catalog:
        """The fields and values of the index."""
        lexical = self.vector_store.snapshot.lexical

        def says(word: str) -> bool:
            terms = lexical.tokenize(word)
            return not terms or any(place is not None for place in lexical.terms.words(terms))

        return replace(self._documents.catalog, says=says)

    @cached_property
    def analyzer(self) -> Analyzer:
        """Whoever reads the questions."""
        if self._given is None and self._client is not None:
            return ModelAnalyzer(self._client, self.catalog, self._today, self.config)
        return self._given or self._without_model

    @cached_property
    def _without_model(self) -> QueryAnalyzer:
        return QueryAnalyzer(self.catalog, self._today)

    @cached_property
    def translator(self) -> FilterTranslator:
        """Makes filters of analyses."""
        return FilterTranslator(self.catalog, self.config)

    @cached_property
    def _documents(self) -> Documents:
        return Documents.of(self._chunks)

    async def retrieve(
        self, query: str, top_k: int = 10, use_filters: bool = True, *, strict: bool = False
    ) -> SelfQueryResult:
        """Documents for a question.

        Args:
            query: 1 to 2,000 characters.
            top_k: how many documents at most.
            use_filters: whether conditions are read from the question; without, it is a search.
            strict: raise where a filter would be relaxed, instead of relaxing it.

        Raises:
            InvalidQueryError: the question is empty or too long, or `top_k` is less than 1.
            FallbackActivatedError: with `strict`, a filter would have been dropped or relaxed.
        """
        if not isinstance(top_k, int) or top_k < 1:
            raise InvalidQueryError(f"top_k is {top_k!r}; ask for a whole number of documents, at least 1")
        if use_filters:
            understood = await self.understand(query)
        else:
            understood = Understood(_unread(query), (), self._documents.all, ())
        if strict and understood.fallbacks:
            raise FallbackActivatedError("; ".join(map(str, understood.fallbacks)))
        return self._answer(understood, top_k)

    def retrieve_sync(
        self, query: str, top_k: int = 10, use_filters: bool = True, *, strict: bool = False
    ) -> SelfQueryResult:
        """Like `retrieve`, where no event loop runs."""
        return asyncio.run(self.retrieve(query, top_k, use_filters, strict=strict))

    async def _analyzed(self, query: str) -> tuple[QueryAnalysis, tuple[Fallback, ...]]:
        key = (query, self._today())
        kept = self._analyses.get(key)
        if kept is not None:
            return kept, ()
        try:
            analysis = await self.analyzer.analyze(query)
        except QueryAnalysisError as error:
            if self.analyzer is self._without_model:
                raise InvalidQueryError(str(error)) from error
            return self._without_model.read(query), (self.fallback.unparsed(str(error), len(self._documents)),)
        return self._analyses.keep(key, analysis), ()

    async def understand(self, query: str) -> Understood:
        """What a question asks of the metadata, and which documents meet that. Nothing is ranked.

        Args:
            query: 1 to 2,000 characters.

        Raises:
            InvalidQueryError: the question is empty or too long.
        """
        analysis, fallbacks = await self._analyzed(query)
        conditions = self.translator.conditions(analysis)
        unsure = self.fallback.before(analysis, conditions, len(self._documents))
        if unsure:
            conditions, fallbacks = (), (*fallbacks, unsure)
        meeting = self._left(conditions)
        if conditions and not meeting and self.config.fallback_on_empty:
            conditions, steps = self.fallback.relaxed(conditions, lambda kept: len(self._left(kept)))
            meeting, fallbacks = self._left(conditions), (*fallbacks, *steps)
        return Understood(analysis, conditions, meeting, fallbacks)

    def _answer(self, understood: Understood, top_k: int) -> SelfQueryResult:
        analysis, conditions, meeting = understood.analysis, understood.conditions, understood.documents
        where = together(conditions)
        plan = self.planner.plan(analysis, len(conditions), len(meeting), len(self._documents))
        found = meeting[:top_k]
        groups: tuple[Group, ...] = ()
        if analysis.intent is QueryIntent.AGGREGATE:
            groups = grouped(meeting, analysis.grouped_by) if analysis.grouped_by else ()
        elif analysis.topic or not conditions:
            found = self._documents.best(
                self.vector_store,
                analysis.topic or analysis.original_query,
                min(top_k, max(len(meeting), 1)),
                where,
                self.strategy,
            )
        return SelfQueryResult(found, len(meeting), analysis, conditions, where, plan, understood.fallbacks, groups)

    def _left(self, conditions: Sequence[FieldCondition]) -> tuple[FoundDocument, ...]:
        where = together(conditions)
        if where is None:
            return self._documents.all
        return self._documents.meeting(where.mask(self.vector_store.snapshot.metadata))


def _unread(query: str) -> QueryAnalysis:
    return QueryAnalysis(query, QueryIntent.SEARCH, topic=query)
