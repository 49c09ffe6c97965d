"""`querymust ask`: documents by the conditions that a question itself states."""

from __future__ import annotations

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
from pipeline.console.asked import log_lines, parts_record, print_documents, print_parts, print_reading, result_record
from pipeline.console.output import err, print_json


def ask(
    question: Annotated[str, typer.Argument(help="What you want, in plain words.", show_default=False)],
    top_k: Annotated[int, typer.Option("--top-k", "--k", "-k", min=1, max=1000, help="How many documents.")] = 10,
    today: Annotated[
        datetime | None,
        typer.Option("--today", formats=["%Y-%m-%d"], help="What `last month` goes back from; else the clock."),
    ] = None,
    filters: Annotated[bool, typer.Option("--filters/--no-filters", help="Read conditions from the question.")] = True,
    debug: Annotated[bool, typer.Option("--debug", help="Say how the question was read and planned.")] = False,
    strategy: StrategyOption = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Find documents by what a question says of their metadata, and by its topic; answer comparisons part by part.

    \b
    Examples:
      querymust ask "rules updated since 2025 about movement"
      querymust ask "recent documents about psionics" --today 2026-08-22 --debug
      querymust ask "how many documents per doc_type?" --json
      querymust ask "dagger or spear, which costs more?" --debug
    """
    from retrieval.understand.decompose.names import Names
    from retrieval.understand.iterate.retriever import IterativeRetriever
    from retrieval.understand.self_query.retriever import SelfQueryRetriever

    day = today.date() if today else None
    strategy, store, names = chosen_strategy(home, strategy), live_retriever(home), Names()
    asked = SelfQueryRetriever(
        store,
        today=(lambda: day) if day else date.today,
        strategy=strategy,
        chunks=names.noting(store.snapshot.chunks),
    )
    found = asked.retrieve_sync(question, top_k, filters)
    gathered = None
    if filters and not found.conditions and found.analysis.intent.value == "search":
        rounds = IterativeRetriever(store, names=names, strategy=strategy)
        if debug or json_ or len(rounds.decomposer.decompose(question).sub_queries) > 1:
            with log_lines(shown=debug):
                gathered = rounds.retrieve(question, top_k)
    if json_:
        print_json(result_record(found) | (parts_record(gathered) if gathered else {}))
        return
    for fallback in found.fallbacks:
        err.print(str(fallback), markup=False)
    if debug:
        print_reading(found, gathered)
    if gathered and len(gathered.decomposition.sub_queries) > 1:
        print_parts(gathered)
    else:
        print_documents(found)
