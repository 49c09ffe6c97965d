"""`querymust ask`: documents by the conditions that a question itself states."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    StrategyOption,
    chosen_strategy,
    live_retriever,
)
from pipeline.console.asked import log_lines, print_documents, print_parts, print_reading
from pipeline.console.output import counted, err, print_json


def ask(
    question: Annotated[str, typer.Argument(help="What you want, in plain words.", show_default=False)],
    top_k: Annotated[int, typer.Option("--top-k", "--k", "-k", min=1, max=1000, help="How many documents.")] = 10,
    today: Annotated[
        datetime | None,
        typer.Option("--today", formats=["%Y-%m-%d"], help="What `last month` goes back from; else the clock."),
    ] = None,
    filters: Annotated[bool, typer.Option("--filters/--no-filters", help="Read conditions from the question.")] = True,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", help="Only documents with this metadata, KEY=VALUE; may be given again.", metavar="FILTER"
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Chat model that reads the question; else understand.model of rag.yaml."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Say how the question was read and planned.")] = False,
    strategy: StrategyOption = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Find documents by what a question says of their metadata, and by its topic; answer comparisons part by part.

    Authors, dates, tags and other values in the question are conditions. A category or document type ranks and excludes
    nothing: --where keeps to it. A model reads the question where one is named and OPENAI_API_KEY is set.

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
    from retrieval.rag.finder import Finder
    from retrieval.rag.finding_record import finding_record
    from retrieval.search.metadata_filter.text import read_filter

    day = today.date() if today else None
    settings = Home.at(home).settings
    finder = Finder(
        live_retriever(home),
        replace(settings.understand, model=model or settings.understand.model),
        enough=settings.answer.min_relevance,
        today=(lambda: day) if day else date.today,
        strategy=chosen_strategy(home, strategy),
    )
    wanted = read_filter(*where) if where else None
    with log_lines(shown=debug):
        found = finder.find(question, top_k, where=wanted, use_filters=filters, explain=debug or json_)
    if json_:
        print_json(finding_record(found))
        return
    for note in (*found.notes, found.reason):
        if note:
            err.print(note, markup=False)
    if found.read_by != "rules":
        err.print(f"The question was read by {found.read_by}, {counted(found.tokens, 'token')}.", markup=False)
    if debug:
        print_reading(found)
    if found.rounds and found.parts:
        print_parts(found.rounds)
    else:
        print_documents(found.result, weighed=debug)
