"""The documents of a question as JSON values: what the command and the server send."""

from typing import Any

from retrieval.rag.finder import Finding
from retrieval.understand.iterate.retriever import IterativeResult
from retrieval.understand.self_query.documents import FoundDocument


def finding_record(finding: Finding) -> dict[str, Any]:
    """A finding as JSON values; `decomposition`, `rounds` and `answers` are there where rounds were made."""
    result = finding.result
    record: dict[str, Any] = {
        "query": result.analysis.original_query,
        "read_by": finding.read_by,
        "tokens": finding.tokens,
        "intent": result.analysis.intent.value,
        "topic": result.analysis.topic,
        "explanation": result.analysis.explanation,
        "conditions": [
            {"text": each.text, "filter": str(each.filter), "confidence": each.confidence} for each in result.conditions
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
