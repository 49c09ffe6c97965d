"""What `querymust ask` shows: documents, the parts of a question, and how it was read."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pipeline.console.output import counted, out

if TYPE_CHECKING:
    from retrieval.understand.iterate.retriever import IterativeResult
    from retrieval.understand.self_query.retriever import SelfQueryResult


@contextmanager
def log_lines(*, shown: bool) -> Iterator[None]:
    """What the search in rounds logs, on standard error."""
    log = logging.getLogger("retrieval.understand.iterate")
    handler, level = logging.StreamHandler(), log.level
    if shown:
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def print_reading(found: SelfQueryResult, gathered: IterativeResult | None) -> None:
    """How a question was read and planned; of a search in rounds, its parts and decisions."""
    out.print(f"[READ] {found.analysis.intent.value}: {found.analysis.explanation}", markup=False)
    for each in found.conditions:
        out.print(f"[FILTER] {each.text!r}: {each.filter} ({each.confidence:.2f})", markup=False)
    out.print(f"[PLAN] {found.plan.strategy.value}: {found.plan.reason}", markup=False)
    if gathered:
        _print_rounds(gathered)


def print_documents(found: SelfQueryResult) -> None:
    """Documents by rank, or how many there are of each value."""
    for group in found.groups:
        out.print(f"{group.count:5}  {group.value}", markup=False)
    if found.groups:
        return
    for rank, document in enumerate(found.documents, start=1):
        out.print(f"{rank:3}. {document.title}  ({document.book}/{document.document})", markup=False)
    left = found.total - len(found.documents)
    if left > 0 and found.conditions:
        out.print(f"and {counted(left, 'more document')} that meet the conditions; --top-k shows more", markup=False)


def _print_rounds(gathered: IterativeResult) -> None:
    parts = gathered.decomposition
    out.print(f"[DECOMPOSED] {parts.main_intent}: {' | '.join(parts.sub_queries)}", markup=False)
    out.print(f"[HINTS] {', '.join(parts.category_hints) or 'none'}", markup=False)
    for number, decision in enumerate(gathered.decisions, start=1):
        following = f"; next: {' | '.join(decision.next_sub_queries)}" if decision.continue_iteration else ""
        out.print(f"[ROUND {number}] {decision.reasoning}{following}", markup=False)


def print_parts(gathered: IterativeResult) -> None:
    """The answers of each part of a question."""
    for part in gathered.decomposition.sub_queries:
        out.print(part, markup=False)
        for hit in gathered.hits:
            if gathered.answers[hit.chunk.id] == part:
                place = f"{hit.chunk.book}/{hit.chunk.document}"
                out.print(f"{hit.rank:3}. {hit.chunk.title}  ({place})", markup=False)


def parts_record(gathered: IterativeResult) -> dict[str, object]:
    """The parts of a question and their answers as JSON values."""
    parts = gathered.decomposition
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
                "continue_iteration": each.continue_iteration,
                "next_sub_queries": list(each.next_sub_queries),
                "category_focus": list(each.category_focus),
                "reasoning": each.reasoning,
            }
            for each in gathered.decisions
        ],
        "answers": [
            {
                "sub_query": gathered.answers[hit.chunk.id],
                "chunk_id": hit.chunk.id,
                "title": hit.chunk.title,
                "book": hit.chunk.book,
                "document": hit.chunk.document,
            }
            for hit in gathered.hits
        ],
    }


def result_record(found: SelfQueryResult) -> dict[str, object]:
    """An answer as JSON values."""
    return {
        "query": found.analysis.original_query,
        "intent": found.analysis.intent.value,
        "topic": found.analysis.topic,
        "explanation": found.analysis.explanation,
        "conditions": [
            {"text": each.text, "filter": str(each.filter), "confidence": each.confidence} for each in found.conditions
        ],
        "plan": {
            "strategy": found.plan.strategy.value,
            "reason": found.plan.reason,
            "selectivity": found.plan.selectivity,
        },
        "fallbacks": [str(each) for each in found.fallbacks],
        "total": found.total,
        "documents": [
            {
                "book": each.book,
                "document": each.document,
                "title": each.title,
                "score": round(each.hit.score, 6) if each.hit else None,
            }
            for each in found.documents
        ],
        "groups": [{"value": each.value, "count": each.count} for each in found.groups],
    }
