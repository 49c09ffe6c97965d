"""Self-querying: conditions on metadata are read from the question and relaxed if they leave nothing."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.errors import FallbackActivatedError, InvalidQueryError, QueryAnalysisError
from retrieval.files.cache import TimedCache
from retrieval.search.metadata_filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy as strategy_named
from retrieval.strategy import Strategy
from retrieval.types import Chunk
from retrieval.understand.analysis import Analyzer, QueryAnalysis, QueryIntent
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import keys
from retrieval.understand.decompose.decomposition import Decomposition
from retrieval.understand.hints import HintedSearch, Relevance
from retrieval.understand.self_query.analyzer import QueryAnalyzer
from retrieval.understand.self_query.conditions import (
    DEFAULTS,
    CategoryHint,
    FieldCondition,
    FilterTranslator,
    SelfQueryConfig,
    both_of,
    together,
)
from retrieval.understand.self_query.documents import Documents, FoundDocument, Group, Ranking, grouped
from retrieval.understand.self_query.filters import Fallback, FallbackHandler
from retrieval.understand.self_query.model_analyzer import ModelAnalyzer

if TYPE_CHECKING:
    from retrieval.models.openai_client import GivenClient, OpenAiClient


HIGH, LOW = 0.1, 0.5
"""A filter that leaves at most a tenth of the documents is highly selective; one that leaves more than half, hardly."""
COMPLEX = 8
"""A topic with at least this many words is complex."""


class ExecutionStrategy(Enum):
    """The three strategies of seed 003."""

    FILTER_FIRST = "filter-first"
    SEARCH_FIRST = "search-first"
    PARALLEL = "parallel"


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The chosen strategy, and why."""

    strategy: ExecutionStrategy
    reason: str
    selectivity: float
    """Share of the documents that meet the conditions; 1 without conditions."""


@dataclass(frozen=True, slots=True)
class QueryPlanner:
    """The decision matrix of seed 003; if several rows apply, the first one counts.

    Our own index filters by a mask within one scan, so the three strategies return the same documents at the same cost;
    the plan records which one the matrix selects.
    """

    def plan(self, analysis: QueryAnalysis, n_conditions: int, n_left: int, n_documents: int) -> QueryPlan:
        """Return the strategy for a question.

        Args:
            n_conditions: the number of conditions that are used.
            n_left: the number of documents that meet them.
            n_documents: the number of all documents.
        """
        share = n_left / n_documents if n_documents else 1.0
        if not n_conditions:
            return QueryPlan(ExecutionStrategy.SEARCH_FIRST, "the question has no condition on metadata", 1.0)
        left = f"the conditions leave {n_left} of {n_documents} documents"
        if analysis.intent is not QueryIntent.FILTER and len(keys(analysis.topic)) >= COMPLEX:
            return QueryPlan(ExecutionStrategy.SEARCH_FIRST, f"the topic is complex; {left}", share)
        if share <= HIGH:
            return QueryPlan(ExecutionStrategy.FILTER_FIRST, f"{left}: highly selective", share)
        if n_conditions > 1:
            return QueryPlan(ExecutionStrategy.PARALLEL, f"there are {n_conditions} conditions; {left}", share)
        if share > LOW:
            return QueryPlan(ExecutionStrategy.SEARCH_FIRST, f"{left}: hardly selective", share)
        return QueryPlan(ExecutionStrategy.FILTER_FIRST, left, share)


@dataclass(frozen=True, slots=True)
class SelfQueryResult:
    """Documents, and how the question was understood."""

    documents: tuple[FoundDocument, ...]
    """At most `top_k`, best first if there is a topic; for a filter alone, in the order of their names."""
    total: int
    """Number of documents that meet the conditions used; of all documents if none was used."""
    analysis: QueryAnalysis
    conditions: tuple[FieldCondition, ...]
    """The conditions that were used."""
    filter: Filter | None
    plan: QueryPlan
    fallbacks: tuple[Fallback, ...] = ()
    groups: tuple[Group, ...] = ()
    """For an aggregate by a field: documents by value, the most frequent first."""
    hints: tuple[CategoryHint, ...] = ()
    """Categories and document types that the question names. They affect the ranking, and exclude nothing."""


@dataclass(frozen=True, slots=True)
class Understood:
    """The reading of a question before the search."""

    analysis: QueryAnalysis
    conditions: tuple[FieldCondition, ...]
    """The conditions to use."""
    documents: tuple[FoundDocument, ...]
    """Documents that meet the conditions, in the order of their names; all if there are no conditions."""
    fallbacks: tuple[Fallback, ...]
    hints: tuple[CategoryHint, ...] = ()


class SelfQueryRetriever:
    """Retrieves documents with the conditions in the question itself. Any number of threads may share one.

    Args:
        vector_store: searches the index.
        llm_client: a client of a chat server: ours, OpenAI's, or any with the same interface; None: questions are read
            without a model.
        fallback_threshold: a less certain analysis filters nothing; None: the threshold of `config`.
        config: the other settings.
        analyzer: another way to read questions.
        today: returns the date from which `last month` is counted.
        strategy: how topics are ranked.
        chunks: the chunks of the index in order, if other code reads them at the same time; None: they are read here.
        relevance: measures how certain it is that a document answers; None: it is not measured.
    """

    def __init__(
        self,
        vector_store: Retriever,
        llm_client: "OpenAiClient | GivenClient | None" = None,
        fallback_threshold: float | None = None,
        *,
        config: SelfQueryConfig = DEFAULTS,
        analyzer: Analyzer | None = None,
        today: Callable[[], date] = date.today,
        strategy: str | Strategy = "default",
        chunks: Iterable[Chunk] | None = None,
        relevance: Relevance | None = None,
    ) -> None:
        own = config.fallback_threshold if fallback_threshold is None else fallback_threshold
        self.config = replace(config, fallback_threshold=own)
        self.hinted = HintedSearch(
            config.hints, config.hint_fields, relevance, log_odds=strategy_named(strategy).reranks
        )
        self.vector_store, self.strategy = vector_store, strategy
        self.planner, self.fallback = QueryPlanner(), FallbackHandler(self.config)
        self._given, self._client, self._today = analyzer, llm_client, today
        self._chunks = vector_store.snapshot.chunks if chunks is None else chunks
        seconds = config.cache_ttl_seconds if config.cache_analysis else 0
        self._analyses: TimedCache[tuple[str, date], QueryAnalysis] = TimedCache(seconds)

    @cached_property
    def catalog(self) -> Catalog:
        """The fields and values of the index."""
        lexical = self.vector_store.snapshot.lexical

        def says(word: str) -> bool:
            terms = lexical.tokenize(word)
            return not terms or any(word is not None for word in lexical.terms.words(terms))

        return replace(self._documents.catalog, says=says)

    @cached_property
    def analyzer(self) -> Analyzer:
        """The analyzer that reads the questions."""
        if self._given is None and self._client is not None:
            return ModelAnalyzer(self._client, self.catalog, self._today, self.config)
        return self._given or self._without_model

    @cached_property
    def _without_model(self) -> QueryAnalyzer:
        return QueryAnalyzer(self.catalog, self._today)

    @cached_property
    def translator(self) -> FilterTranslator:
        """The translator from analyses to filters."""
        return FilterTranslator(self.catalog, self.config)

    @cached_property
    def _documents(self) -> Documents:
        return Documents.of(self._chunks)

    async def retrieve(
        self,
        query: str,
        top_k: int = 10,
        use_filters: bool = True,
        *,
        strict: bool = False,
        where: Filter | None = None,
        guessed: Decomposition | None = None,
    ) -> SelfQueryResult:
        """Return documents for a question.

        Args:
            query: 1 to 2,000 characters.
            top_k: the most documents to return.
            use_filters: whether to read conditions from the question; if False, it is a plain search.
            strict: whether to raise an error instead of relaxing a filter.
            where: restricts which documents may be returned; it is never relaxed.
            guessed: a decomposition of the question, whose category hints and weights are used too.

        Raises:
            InvalidQueryError: the question is empty or too long, or `top_k` is less than 1.
            FallbackActivatedError: with `strict`, a filter would have been dropped or relaxed.
        """
        if not isinstance(top_k, int) or top_k < 1:
            raise InvalidQueryError(f"top_k is {top_k!r}; ask for a whole number of documents, at least 1")
        if use_filters:
            understood = await self.understand(query, where)
        else:
            understood = Understood(_unread(query), (), self._left((), where), ())
        if strict and understood.fallbacks:
            raise FallbackActivatedError("; ".join(map(str, understood.fallbacks)))
        return self._answer(understood, top_k, where, guessed)

    def retrieve_sync(
        self,
        query: str,
        top_k: int = 10,
        use_filters: bool = True,
        *,
        strict: bool = False,
        where: Filter | None = None,
        guessed: Decomposition | None = None,
    ) -> SelfQueryResult:
        """Like `retrieve`, for code without an event loop."""
        return asyncio.run(self.retrieve(query, top_k, use_filters, strict=strict, where=where, guessed=guessed))

    async def _analyzed(self, query: str) -> tuple[QueryAnalysis, tuple[Fallback, ...]]:
        key = (query, self._today())
        kept = self._analyses.get(key)
        if kept is not None:
            return replace(kept, tokens=0), ()  # it was paid for once
        try:
            analysis = await self.analyzer.analyze(query)
        except QueryAnalysisError as error:
            if self.analyzer is self._without_model:
                raise InvalidQueryError(str(error)) from error
            return self._without_model.read(query), (self.fallback.unparsed(str(error), len(self._documents)),)
        return self._analyses.keep(key, analysis), ()

    async def understand(self, query: str, where: Filter | None = None) -> Understood:
        """Return the conditions of a question on metadata, and the documents that meet them. Nothing is ranked.

        Args:
            query: 1 to 2,000 characters.
            where: restricts which documents may be returned.

        Raises:
            InvalidQueryError: the question is empty or too long.
        """
        analysis, fallbacks = await self._analyzed(query)
        fields = self.catalog.fields
        fallbacks += tuple(
            self.fallback.unknown(value, fields[value.field], len(self._documents)) for value in analysis.unknown
        )
        conditions = self.translator.conditions(analysis)
        unsure = self.fallback.before(analysis, conditions, len(self._documents))
        if unsure:
            conditions, fallbacks = (), (*fallbacks, unsure)
        meeting = self._left(conditions, where)
        if conditions and not meeting and self.config.fallback_on_empty:
            conditions, steps = self.fallback.relaxed(conditions, lambda kept: len(self._left(kept, where)))
            meeting, fallbacks = self._left(conditions, where), (*fallbacks, *steps)
        return Understood(analysis, conditions, meeting, fallbacks, self.translator.hints(analysis))

    def _answer(
        self, understood: Understood, top_k: int, where: Filter | None, guessed: Decomposition | None
    ) -> SelfQueryResult:
        analysis, conditions, meeting = understood.analysis, understood.conditions, understood.documents
        wanted = together(conditions)
        plan = self.planner.plan(analysis, len(conditions), len(meeting), len(self._documents))
        best = meeting[:top_k]
        groups: tuple[Group, ...] = ()
        if analysis.intent is QueryIntent.AGGREGATE:
            groups = grouped(meeting, analysis.grouped_by) if analysis.grouped_by else ()
        elif analysis.topic or understood.hints or not conditions:
            ranking = Ranking.of(self.hinted, analysis, understood.hints, guessed, filtered=bool(conditions))
            k, both = min(top_k, max(len(meeting), 1)), both_of(wanted, where)
            best = ranking.best(self._documents, self.vector_store, k, both, self.strategy)
        return SelfQueryResult(
            best, len(meeting), analysis, conditions, wanted, plan, understood.fallbacks, groups, understood.hints
        )

    def _left(self, conditions: Sequence[FieldCondition], where: Filter | None) -> tuple[FoundDocument, ...]:
        wanted = both_of(together(conditions), where)
        if wanted is None:
            return self._documents.all
        return self._documents.meeting(wanted.mask(self.vector_store.snapshot.metadata))


def _unread(query: str) -> QueryAnalysis:
    return QueryAnalysis(query, QueryIntent.SEARCH, topic=query)
