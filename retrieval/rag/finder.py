"""Finds documents for a question by conditions, hints, parts and rounds, and records how they were found."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from retrieval.models.access import KEY, Access
from retrieval.models.openai_client import OpenAiClient
from retrieval.rag.relevance import relevance_of, why_none
from retrieval.search.metadata_filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.settings import UnderstandSettings
from retrieval.strategy import Strategy
from retrieval.understand.analysis import Chat, QueryIntent
from retrieval.understand.catalog.catalog import title_of
from retrieval.understand.decompose.comparisons import ComparedNames
from retrieval.understand.decompose.decomposition import Decomposition, ModelDecomposer
from retrieval.understand.decompose.facts import ENOUGH, IterationSettings, ModelDecider
from retrieval.understand.decompose.rounds import IterativeResult, IterativeRetriever
from retrieval.understand.self_query.conditions import SelfQueryConfig
from retrieval.understand.self_query.documents import FoundDocument, raised_categories
from retrieval.understand.self_query.filters import Trigger
from retrieval.understand.self_query.retriever import SelfQueryResult, SelfQueryRetriever

_RETRIES = 1
"""Low, because a person waits for the answer."""


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """The documents of a question, and how they were found."""

    result: SelfQueryResult
    rounds: IterativeResult | None
    """None if there was no round: the question has conditions, or its first search answers it."""
    read_by: str
    """`rules`, or the name of the chat model that read the question."""
    notes: tuple[str, ...]
    """What the search gave up, one sentence each: conditions, values, the model."""
    reason: str
    """Why no document is relevant enough; empty if one is, or if the question has no topic."""
    tokens: int
    """Tokens that the model used."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The questions that a comparison consists of; empty if the question is not a comparison."""
        several = self.rounds.decomposition.sub_queries if self.rounds else ()
        return several if len(several) > 1 else ()


class Finder:
    """Finds documents for questions in one index. Any number of threads may share one.

    Args:
        settings: the settings, which may name a model that reads questions.
        environment: the environment variables, which may contain the key of the model.
        enough: the minimum relevance of a document that answers, 0 to 1; `answer` refuses below it.
        today: returns the date from which `last month` is counted.
        strategy: how topics are ranked.
    """

    def __init__(
        self,
        retriever: Retriever,
        settings: UnderstandSettings = UnderstandSettings(),  # noqa: B008
        *,
        environment: Mapping[str, str] = os.environ,
        enough: float = ENOUGH,
        today: Callable[[], date] = date.today,
        strategy: str | Strategy = "default",
    ) -> None:
        self._retriever, self._settings, self._enough = retriever, settings, enough
        self._today, self._strategy = today, strategy
        access = Access.of_environment(environment)
        wants_key = settings.model is not None and not access
        self._no_model = f"{settings.model} was not called, because {KEY} is not set" if wants_key else ""
        named = settings.model if access else None
        client = OpenAiClient(access, retries=_RETRIES, timeout=settings.timeout_seconds) if named else None
        self._chat = Chat(client, named, settings.temperature, settings.max_tokens) if client and named else None

    def find(
        self,
        question: str,
        top_k: int = 10,
        *,
        where: Filter | None = None,
        use_filters: bool = True,
        explain: bool = False,
    ) -> DocumentSearch:
        """Find the documents for a question.

        Args:
            question: 1 to 2,000 characters.
            where: restricts which documents may be returned; it is never relaxed.
            use_filters: whether to read conditions, hints and parts from the question; if False, it is a plain search.
            explain: make the rounds even if the first search answers.

        Raises:
            InvalidQueryError: the question is empty or too long, or `top_k` is less than 1.
        """
        if not use_filters:
            result = self._self_query.retrieve_sync(question, top_k, use_filters=False, where=where)
            return self._finding(result, None, None, "")
        decomposition, undone = self._rounds.decomposed(question)
        result = self._self_query.retrieve_sync(question, top_k, where=where, guessed=decomposition)
        rounds = None
        searches = not result.conditions and result.analysis.intent is not QueryIntent.AGGREGATE
        if searches and (explain or len(decomposition.sub_queries) > 1 or self._misses(result)):
            hinted = replace(decomposition, category_hints=raised_categories(result.hints, decomposition))
            rounds = self._rounds.retrieve(question, top_k, where=where, decomposition=hinted)
            result = replace(result, documents=self._with_late(result, rounds)[:top_k])
        return self._finding(result, rounds, decomposition, undone)

    @cached_property
    def _names(self) -> ComparedNames:
        return ComparedNames()

    @cached_property
    def _self_query(self) -> SelfQueryRetriever:
        settings, model = self._settings, self._chat.model if self._chat else None
        config = SelfQueryConfig(llm_temperature=settings.temperature, llm_max_tokens=settings.max_tokens)
        return SelfQueryRetriever(
            self._retriever,
            self._chat.client if self._chat else None,
            config=replace(config, llm_model=model or config.llm_model),
            today=self._today,
            strategy=self._strategy,
            # Documents and names are collected in one pass over the chunks.
            chunks=self._names.noting(self._retriever.snapshot.chunks),
            relevance=relevance_of(self._retriever),
        )

    @cached_property
    def _rounds(self) -> IterativeRetriever:
        config = self._self_query.config
        _ = self._self_query.catalog  # building it collects the names
        plain = IterativeRetriever(
            self._retriever,
            hints=config.hints,
            settings=IterationSettings(enough=self._enough),
            category_key=config.hint_fields,
            names=self._names,
            strategy=self._strategy,
            relevance=relevance_of(self._retriever),
        )
        if self._chat is not None:
            plain.decomposer = ModelDecomposer(self._chat, plain.categories)
            plain.decider = ModelDecider(self._chat)
        return plain

    def _misses(self, result: SelfQueryResult) -> bool:
        """Whether no document is relevant enough for the topic."""
        measured = [document.hinted.relevance for document in result.documents if document.hinted]
        return bool(measured) and max(measured) < self._enough

    def _with_late(self, result: SelfQueryResult, rounds: IterativeResult) -> tuple[FoundDocument, ...]:
        """Return the documents, after those that only a later round found relevant enough."""
        late = [fact for fact in rounds.facts if fact.iteration > 1 and fact.hinted.relevance >= self._enough]
        if not late or not self._misses(result):
            return result.documents
        documents: dict[tuple[str, str], FoundDocument] = {}
        for fact in sorted(late, key=lambda fact: -fact.hinted.adjusted_relevance):
            chunk = fact.hinted.hit.chunk
            document = FoundDocument(
                chunk.book, chunk.document, title_of(chunk), chunk.metadata, fact.hinted.hit, fact.hinted
            )
            documents.setdefault((chunk.book, chunk.document), document)
        for known in result.documents:
            documents.setdefault((known.book, known.document), known)
        return tuple(documents.values())

    def _finding(
        self, result: SelfQueryResult, rounds: IterativeResult | None, parts: Decomposition | None, undone: str
    ) -> DocumentSearch:
        notes = [*map(str, result.fallbacks)]
        unread = any(fallback.trigger is Trigger.UNPARSED for fallback in result.fallbacks)
        if undone:
            notes.append(f"the model could not decompose the question, so it was searched as it is: {undone}")
        if self._no_model and parts is not None:
            notes.append(f"{self._no_model}; the question was read by rules")
        tokens = result.analysis.tokens + (parts.tokens if parts else 0)
        tokens += sum(decision.tokens for decision in rounds.decisions) if rounds else 0
        scores = [document.hinted.relevance for document in result.documents if document.hinted]
        several = rounds is not None and len(rounds.decomposition.sub_queries) > 1
        reason = why_none(sorted(scores, reverse=True), self._enough) if self._misses(result) and not several else ""
        by_model = self._chat is not None and parts is not None and not (undone and unread)
        read_by = self._chat.model if self._chat and by_model else "rules"
        return DocumentSearch(result, rounds, read_by, tuple(notes), reason, tokens)


def finding_record(finding: DocumentSearch) -> dict[str, Any]:
    """Return a finding as JSON values; `decomposition`, `rounds` and `answers` are present if there were rounds."""
    result = finding.result
    record: dict[str, Any] = {
        "query": result.analysis.original_query,
        "read_by": finding.read_by,
        "tokens": finding.tokens,
        "intent": result.analysis.intent.value,
        "topic": result.analysis.topic,
        "explanation": result.analysis.explanation,
        "conditions": [
            {"text": condition.text, "filter": str(condition.filter), "confidence": condition.confidence}
            for condition in result.conditions
        ],
        "hints": [
            {"text": hint.text, "field": hint.field, "value": hint.value, "weight": round(hint.weight, 6)}
            for hint in result.hints
        ],
        "plan": {
            "strategy": result.plan.strategy.value,
            "reason": result.plan.reason,
            "selectivity": result.plan.selectivity,
        },
        "fallbacks": list(finding.notes),
        "reason": finding.reason or None,
        "total": result.total,
        "documents": [_document_record(document) for document in result.documents],
        "groups": [{"value": group.value, "count": group.count} for group in result.groups],
    }
    return record | (_rounds_record(finding.rounds) if finding.rounds else {})


def _document_record(document: FoundDocument) -> dict[str, Any]:
    hit, hinted = document.hit, document.hinted
    return {
        "book": document.book,
        "document": document.document,
        "title": document.title,
        "score": round(hit.score, 6) if hit else None,
        "relevance": round(hinted.relevance, 6) if hinted else None,
        "original_relevance": round(hinted.original_relevance, 6) if hinted else None,
        "category_boost": round(hinted.category_boost, 6) if hinted else None,
        "adjusted_relevance": round(hinted.adjusted_relevance, 6) if hinted else None,
    }


def _rounds_record(rounds: IterativeResult) -> dict[str, Any]:
    parts = rounds.decomposition
    return {
        "decomposition": {
            "main_intent": parts.main_intent,
            "sub_queries": list(parts.sub_queries),
            "search_keywords": list(parts.search_keywords),
            "category_hints": list(parts.category_hints),
            "category_weights": dict(parts.category_weights),
        },
        "rounds": [
            {
                "continue_iteration": decision.continue_iteration,
                "next_sub_queries": list(decision.next_sub_queries),
                "category_focus": list(decision.category_focus),
                "reasoning": decision.reasoning,
            }
            for decision in rounds.decisions
        ],
        "stopped": rounds.stopped,
        "answers": [
            {
                "sub_query": rounds.answers[hit.chunk.id],
                "chunk_id": hit.chunk.id,
                "title": hit.chunk.title,
                "book": hit.chunk.book,
                "document": hit.chunk.document,
            }
            for hit in rounds.hits
        ],
    }
