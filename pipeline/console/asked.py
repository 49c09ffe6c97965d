"""What `querymust ask` shows: documents, the parts of a question, and how it was read."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pipeline.console.output import counted, out

if TYPE_CHECKING:
    from retrieval.rag.finder import Finding
    from retrieval.understand.hints import HintedHit
    from retrieval.understand.iterate.retriever import IterativeResult
    from retrieval.understand.self_query.retriever import SelfQueryResult


@contextmanager
def log_lines(*, shown: bool) -> Iterator[None]:
    """What the search in rounds logs, on standard error."""
    log = logging.getLogger("retrieval.understand")
    handler, level = logging.StreamHandler(), log.level
    if shown:
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def print_reading(finding: Finding) -> None:
    """How a question was read and planned, and what hints made of relevance; of rounds, the parts and decisions."""
    found = finding.result
    paid = f" ({counted(finding.tokens, 'token')})" if finding.tokens else ""
    out.print(f"[READ BY] {finding.read_by}{paid}", markup=False)
    out.print(f"[READ] {found.analysis.intent.value}: {found.analysis.explanation}", markup=False)
    for condition in found.conditions:
        out.print(f"[FILTER] {condition.text!r}: {condition.filter} ({condition.confidence:.2f})", markup=False)
    for hint in found.hints:
        out.print(f"[HINT] {hint.text!r}: {hint.field} {hint.value!r}, weight {hint.weight:.2f}", markup=False)
    out.print(f"[PLAN] {found.plan.strategy.value}: {found.plan.reason}", markup=False)
    if finding.rounds:
        _print_rounds(finding.rounds)


def print_documents(found: SelfQueryResult, *, weighed: bool = False) -> None:
    """Documents by rank, or how many there are of each value.

    Args:
        found: the documents.
        weighed: show the relevance of each, and what hints made of it.
    """
    for group in found.groups:
        out.print(f"{group.count:5}  {group.value}", markup=False)
    if found.groups:
        return
    for rank, document in enumerate(found.documents, start=1):
        weight = f"  {_weight(document.hinted)}" if weighed and document.hinted else ""
        out.print(f"{rank:3}. {document.title}  ({document.book}/{document.document}){weight}", markup=False)
    left = found.total - len(found.documents)
    if left > 0 and found.conditions:
        out.print(f"and {counted(left, 'more document')} that meet the conditions; --top-k shows more", markup=False)


def _weight(hinted: HintedHit) -> str:
    category = f"{hinted.category}: " if hinted.category else ""
    return (
        f"[{category}{hinted.original_relevance:.3f} x boost {hinted.category_boost:.2f} "
        f"= {hinted.adjusted_relevance:.3f}; answers: {hinted.relevance:.2f}]"
    )


def _print_rounds(gathered: IterativeResult) -> None:
    parts = gathered.decomposition
    out.print(f"[DECOMPOSED] {parts.main_intent}: {' | '.join(parts.sub_queries)}", markup=False)
    weights = [f"{name} {weight:.2f}" for name, weight in parts.category_weights.items()]
    hints = ", ".join((*parts.category_hints, *weights))
    out.print(f"[HINTS] {hints or 'none'}", markup=False)
    for number, decision in enumerate(gathered.decisions, start=1):
        following = f"; next: {' | '.join(decision.next_sub_queries)}" if decision.continue_iteration else ""
        out.print(f"[ROUND {number}] {decision.reasoning}{following}", markup=False)
    out.print(f"[STOPPED] {gathered.stopped}", markup=False)


def print_parts(gathered: IterativeResult) -> None:
    """The answers of each part of a question."""
    for part in gathered.decomposition.sub_queries:
        out.print(part, markup=False)
        for hit in gathered.hits:
            if gathered.answers[hit.chunk.id] == part:
                place = f"{hit.chunk.book}/{hit.chunk.document}"
                out.print(f"{hit.rank:3}. {hit.chunk.title}  ({place})", markup=False)
