"""`querymust search`: searches the live index for one question."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KOption,
    StrategyOption,
    WhereOption,
    chosen_strategy,
    live_retriever,
)
from pipeline.console.hits import print_receipt, print_retrieval
from pipeline.console.output import err, print_json
from retrieval.strategy import DEFAULT_K


def search(
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.", show_default=False)],
    strategy: StrategyOption = None,
    k: KOption = DEFAULT_K,
    where: WhereOption = None,
    min_relevance: Annotated[
        float | None,
        typer.Option(
            "--min-relevance", min=0, max=1, help="Only chunks with at least this relevance; 0.6 is a good start."
        ),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show why each chunk was kept or excluded, and the parts of each score.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show everything about each chunk.")] = False,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Print the chunks of the live index that answer a question, the best first.

    \b
    Examples:
      querymust search "What does a 7th level cleric need to roll to hit AC 6?"
      querymust search "psionic blast, int 8 wis 15" --strategy dense --k 5
      querymust search "turning a vampire" --where book=rules --where "kind!=prose"
      querymust search "turning a vampire" --min-relevance 0.6
      querymust search "turning a vampire" --debug
      querymust search "turning a vampire" --k 1 --full
      querymust search "turning a vampire" --json
    """
    from retrieval.rag.relevance import search as search_live
    from retrieval.search.json_record import retrieval_record
    from retrieval.search.metadata_filter import filter_of, strange_values, why_empty

    wanted = filter_of(where)
    retriever = live_retriever(home)
    retrieval, unanswered = search_live(
        retriever,
        question,
        k,
        chosen_strategy(home, strategy),
        where=wanted,
        least=min_relevance,
        measured=True,
        debug=debug,
    )
    short_id = retriever.snapshot.chunks.short_id
    if unanswered:
        err.print(unanswered)
    elif wanted is not None and not retrieval.hits:
        reason = why_empty(wanted, retriever.snapshot.metadata)
        err.print(f"--where: {reason or 'every remaining chunk has a query_must that this question does not satisfy'}")
    elif wanted is not None and (strange := strange_values(wanted, retriever.snapshot.metadata)):
        err.print(f"--where: {strange}")
    if (read_as := retrieval.receipt.read_as) is not None:
        err.print(f"read as: {read_as}")
    if (order := retrieval.receipt.ordering) is not None:
        err.print(str(order))
    if json_:
        print_json(retrieval_record(retrieval, short_id, retriever.snapshot.id, unanswered))
        return
    if not unanswered:
        print_retrieval(retrieval, short_id, full=full)
    if debug:
        print_receipt(retrieval)
