"""`querymust explain`: why a chunk is, or is not, among the answers."""

from __future__ import annotations

from dataclasses import asdict
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
from pipeline.console.output import out, print_json


def explain_chunk(
    question: Annotated[str, typer.Argument(help="The question that was asked.", show_default=False)],
    chunk: Annotated[
        str, typer.Option("--chunk", help="Id of the chunk, or its beginning; search prints it.", show_default=False)
    ],
    strategy: StrategyOption = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Say why a chunk is in or out: its predicate, the question as the predicate saw it, its place and its evidence.

    \b
    Example:
      querymust explain "to hit AC 6" --chunk 0f8fad5b
    """
    from retrieval.search.explanation import explain

    strategy, retriever = chosen_strategy(home, strategy), live_retriever(home)
    explanation = explain(retriever, question, retriever.snapshot.chunks.find(chunk), strategy)
    if json_:
        record = asdict(explanation)
        record["chunk"] = explanation.chunk.id
        print_json(record | {"title": explanation.chunk.title, "query_must": explanation.chunk.query_must})
        return
    for line in explanation.lines():
        out.print(line, markup=False)
