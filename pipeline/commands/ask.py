"""`querymust ask`: documents by the conditions that a question states."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    StrategyOption,
    chosen_strategy,
    live_retriever,
)
from pipeline.console.output import counted, err, out, print_json

if TYPE_CHECKING:
    from retrieval.rag.finder import DocumentSearch
    from retrieval.understand.decompose.rounds import IterativeResult
    from retrieval.understand.hints import HintedHit
    from retrieval.understand.self_query.retriever import SelfQueryResult


@contextmanager
def log_lines(*, shown: bool) -> Iterator[None]:
    """Print what the search in rounds logs to standard error."""
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


def print_reading(finding: DocumentSearch) -> None:
    """Print how a question was read and planned, how hints changed relevance, and the parts and decisions of rounds."""
    result = finding.result
    paid = f" ({counted(finding.tokens, 'token')})" if finding.tokens else ""
    out.print(f"[READ BY] {finding.read_by}{paid}")
    out.print(f"[READ] {result.analysis.intent.value}: {result.analysis.explanation}")
    for condition in result.conditions:
        out.print(f"[FILTER] {condition.text!r}: {condition.filter} ({condition.confidence:.2f})")
    for hint in result.hints:
        out.print(f"[HINT] {hint.text!r}: {hint.field} {hint.value!r}, weight {hint.weight:.2f}")
    out.print(f"[PLAN] {result.plan.strategy.value}: {result.plan.reason}")
    if finding.rounds:
        _print_rounds(finding.rounds)


def print_documents(documents: SelfQueryResult, *, weighed: bool = False) -> None:
    """Print documents by rank, and their number if the question asks for it; or their number for each value."""
    from retrieval.understand.analysis import QueryIntent

    for group in documents.groups:
        out.print(f"{group.count:5}  {group.value}")
    if documents.groups:
        return
    if documents.analysis.intent is QueryIntent.AGGREGATE:
        out.print(counted(documents.total, "document"))
    for rank, document in enumerate(documents.documents, start=1):
        weight = f"  {_weight(document.hinted)}" if weighed and document.hinted else ""
        out.print(f"{rank:3}. {document.title}  ({document.book}/{document.document}){weight}")
    left = documents.total - len(documents.documents)
    if left > 0 and documents.conditions:
        out.print(f"and {counted(left, 'more document')} that meet the conditions; --top-k shows more")


def _weight(hinted: HintedHit) -> str:
    category = f"{hinted.category}: " if hinted.category else ""
    return (
        f"[{category}{hinted.original_relevance:.3f} x boost {hinted.category_boost:.2f} "
        f"= {hinted.adjusted_relevance:.3f}; answers: {hinted.relevance:.2f}]"
    )


def _print_rounds(gathered: IterativeResult) -> None:
    parts = gathered.decomposition
    out.print(f"[DECOMPOSED] {parts.main_intent}: {' | '.join(parts.sub_queries)}")
    weights = [f"{name} {weight:.2f}" for name, weight in parts.category_weights.items()]
    hints = ", ".join((*parts.category_hints, *weights))
    out.print(f"[HINTS] {hints or 'none'}")
    for number, decision in enumerate(gathered.decisions, start=1):
        following = f"; next: {' | '.join(decision.next_sub_queries)}" if decision.continue_iteration else ""
        out.print(f"[ROUND {number}] {decision.reasoning}{following}")
    out.print(f"[STOPPED] {gathered.stopped}")


def print_parts(gathered: IterativeResult) -> None:
    """Print the answers to each part of a question."""
    for part in gathered.decomposition.sub_queries:
        out.print(part)
        for hit in gathered.hits:
            if gathered.answers[hit.chunk.id] == part:
                location = f"{hit.chunk.book}/{hit.chunk.document}"
                out.print(f"{hit.rank:3}. {hit.chunk.title}  ({location})")


def ask(
    question: Annotated[str, typer.Argument(help="What you want, in plain words.", show_default=False)],
    top_k: Annotated[int, typer.Option("--top-k", "--k", "-k", min=1, max=1000, help="Number of documents.")] = 10,
    today: Annotated[
        datetime | None,
        typer.Option(
            "--today", formats=["%Y-%m-%d"], help="The date from which `last month` is counted; default: today."
        ),
    ] = None,
    filters: Annotated[bool, typer.Option("--filters/--no-filters", help="Read conditions from the question.")] = True,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", help="Only documents with this metadata, KEY=VALUE; can be repeated.", metavar="FILTER"
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Chat model that reads the question; default: understand.model in rag.yaml."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show how the question was read and planned.")] = False,
    strategy: StrategyOption = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Find documents by their topic and by the conditions in a question; answer comparisons part by part.

    Authors, dates, tags and other values in the question are conditions. A category or document type changes the
    ranking but excludes nothing; to exclude, use --where. A model reads the question if one is named and
    OPENAI_API_KEY is set.

    \b
    Examples:
      querymust ask "rules updated since 2025 about movement"
      querymust ask "recent documents about psionics" --today 2026-08-22 --debug
      querymust ask "how many documents per doc_type?" --json
      querymust ask "dagger or spear, which costs more?" --debug
      querymust ask "negligence in the medical records" --where "category=Medical Record"
      OPENAI_API_KEY=... querymust ask "what did Ann write before the move?" --model gpt-4o-mini
    """
    from retrieval.home import Home
    from retrieval.rag.finder import Finder, finding_record
    from retrieval.search.metadata_filter import filter_of

    day = today.date() if today else None
    settings = Home.at(home).settings
    finder = Finder(
        live_retriever(home),
        replace(settings.understand, model=model or settings.understand.model),
        enough=settings.answer.min_relevance,
        today=(lambda: day) if day else date.today,
        strategy=chosen_strategy(home, strategy),
    )
    wanted = filter_of(where)
    with log_lines(shown=debug):
        finding = finder.find(question, top_k, where=wanted, use_filters=filters, explain=debug or json_)
    if json_:
        print_json(finding_record(finding))
        return
    for note in (*finding.notes, finding.reason):
        if note:
            err.print(note)
    if finding.read_by != "rules":
        err.print(f"The question was read by {finding.read_by}, {counted(finding.tokens, 'token')}.")
    if debug:
        print_reading(finding)
    if finding.rounds and finding.parts:
        print_parts(finding.rounds)
    else:
        print_documents(finding.result, weighed=debug)
