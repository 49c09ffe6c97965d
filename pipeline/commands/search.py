"""`querymust search`: one question to the live index."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, StrategyOption, live_retriever
from pipeline.console.output import print_json
from pipeline.console.presentation import print_receipt, print_retrieval, retrieval_record
from retrieval.strategy import DEFAULT_K


def search(
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.", show_default=False)],
    strategy: StrategyOption = "default",
    k: Annotated[int, typer.Option("--k", min=1, max=1000, help="How many results.")] = DEFAULT_K,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", help="Only chunks with this metadata, KEY=VALUE; may be given again.", metavar="FILTER"
        ),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Say why each chunk was kept or excluded.")] = False,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Answer a question with chunks of the live index, the best first.

    \b
    Examples:
      querymust search "What does a 7th level cleric need to roll to hit AC 6?"
      querymust search "psionic blast, int 8 wis 15" --strategy dense --k 5
      querymust search "turning a vampire" --where book=rules --where "kind!=prose"
      querymust search "turning a vampire" --debug
      querymust search "turning a vampire" --json
    """
    from retrieval.search.metadata_filter.text import read_filter

    wanted = read_filter(*where) if where else None
    retrieval = live_retriever(home).retrieve(question, k=k, strategy=strategy, where=wanted, debug=debug)
    if json_:
        print_json(retrieval_record(retrieval))
        return
    print_retrieval(retrieval)
    if debug:
        print_receipt(retrieval)
