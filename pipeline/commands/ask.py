"""`querymust ask`: documents by the conditions that a question itself states."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, StrategyOption, live_retriever
from pipeline.console.output import counted, err, out, print_json

if TYPE_CHECKING:
    from retrieval.understand.self_query.retriever import SelfQueryResult


def ask(
    question: Annotated[str, typer.Argument(help="What you want, in plain words.", show_default=False)],
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=1000, help="How many documents.")] = 10,
    today: Annotated[
        datetime | None,
        typer.Option("--today", formats=["%Y-%m-%d"], help="What `last month` goes back from; else the clock."),
    ] = None,
    filters: Annotated[bool, typer.Option("--filters/--no-filters", help="Read conditions from the question.")] = True,
    debug: Annotated[bool, typer.Option("--debug", help="Say how the question was read and planned.")] = False,
    strategy: StrategyOption = "default",
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Find documents by what a question says of their metadata, and by its topic.

    \b
    Examples:
      querymust ask "rules updated since 2025 about movement"
      querymust ask "recent documents about psionics" --today 2026-08-22 --debug
      querymust ask "how many documents per doc_type?" --json
    """
    from retrieval.understand.self_query.retriever import SelfQueryRetriever

    day = today.date() if today else None
    asked = SelfQueryRetriever(live_retriever(home), today=(lambda: day) if day else date.today, strategy=strategy)
    found = asked.retrieve_sync(question, top_k, filters)
    if json_:
        print_json(result_record(found))
        return
    for fallback in found.fallbacks:
        err.print(str(fallback), markup=False)
    if debug:
        out.print(f"[READ] {found.analysis.intent.value}: {found.analysis.explanation}", markup=False)
        for each in found.conditions:
            out.print(f"[FILTER] {each.text!r}: {each.filter} ({each.confidence:.2f})", markup=False)
        out.print(f"[PLAN] {found.plan.strategy.value}: {found.plan.reason}", markup=False)
    for group in found.groups:
        out.print(f"{group.count:5}  {group.value}", markup=False)
    if found.groups:
        return
    for rank, document in enumerate(found.documents, start=1):
        out.print(f"{rank:3}. {document.title}  ({document.book}/{document.document})", markup=False)
    left = found.total - len(found.documents)
    if left > 0 and found.conditions:
        out.print(f"and {counted(left, 'more document')} that meet the conditions; --top-k shows more", markup=False)


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
