"""`querymust show` and `explain`."""

from __future__ import annotations

from dataclasses import asdict
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
from pipeline.console.output import out, print_json
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from retrieval.index.snapshot.snapshot import Snapshot
    from retrieval.types import Chunk


def show_chunk(
    chunk: Annotated[str, typer.Argument(help="Id of the chunk, or the beginning of it; search prints it.")],
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show a whole chunk of the live index: its location, its names, its predicate in words, and its neighbours.

    \b
    Examples:
      querymust show 0f8fad5b
      querymust show 0f8fad5b --json
    """
    from retrieval.index.snapshot.snapshot import open_snapshot

    snapshot = open_snapshot(home.expanduser().resolve())
    shown = snapshot.chunks[snapshot.chunks.position(snapshot.chunks.find(chunk))]
    if json_:
        print_json(_record(snapshot, shown))
        return
    _print(snapshot, shown)


def _neighbours(snapshot: Snapshot, chunk: Chunk) -> dict[str, Chunk | None]:
    """Return the chunks directly `above` and `below` a chunk in its document; None at the ends of the document."""
    document = snapshot.document_of(chunk)
    at = document.index(chunk)
    return {"above": document[at - 1] if at else None, "below": document[at + 1] if document[at + 1 :] else None}


def _record(snapshot: Snapshot, chunk: Chunk) -> dict[str, object]:
    from retrieval.query_must.refusal import in_words
    from retrieval.search.json_record import chunk_record

    beside = _neighbours(snapshot, chunk)
    return chunk_record(chunk, snapshot.chunks.short_id) | {
        "source": chunk.source,
        "names": list(chunk.names),
        "query_must_in_words": in_words(chunk.query_must),
        "metadata": dict(chunk.metadata),
        **{where: other and {"id": other.id, "title": other.title} for where, other in beside.items()},
    }


def _print(snapshot: Snapshot, chunk: Chunk) -> None:
    from rich.text import Text

    from pipeline.console.hits import INDENT, long_title, print_place, whole

    width = out.width - INDENT if out.is_terminal else None
    out.print(Text(long_title(chunk), style="bold"))
    print_place(chunk, snapshot.chunks.short_id)
    out.print(Text(" " * INDENT + f"id {chunk.id}, {chunk.kind}", style="dim"))
    for line in whole(chunk, width):
        out.print(Text(" " * INDENT) + line)
    for where, other in _neighbours(snapshot, chunk).items():
        neighbour = f"{snapshot.chunks.short_id(other.id)}  {other.title}" if other else "nothing"
        out.print(Text.assemble(" " * INDENT, (f"{where}: ", "dim"), neighbour))


def explain_chunk(
    question: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    chunk: Annotated[
        str | None,
        typer.Option(
            "--chunk",
            help="Id of the chunk, or the beginning of it; search prints it. Without it: the first hit.",
            show_default=False,
        ),
    ] = None,
    strategy: StrategyOption = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Explain why a chunk is returned or excluded: its predicate, the question as it is read, its rank, its evidence.

    \b
    Examples:
      querymust explain "to hit AC 6"
      querymust explain "to hit AC 6" --chunk 0f8fad5b
    """
    from retrieval.search.explanation import explain

    strategy, retriever = chosen_strategy(home, strategy), live_retriever(home)
    if chunk is None:
        hits = retriever.retrieve(question, 1, strategy, decisions=False).hits
        if not hits:
            raise RetrievalError(f"no chunk is returned for {question!r}; name one with --chunk")
        chunk = hits[0].chunk.id
    explanation = explain(retriever, question, retriever.snapshot.chunks.find(chunk), strategy)
    if json_:
        record = asdict(explanation)
        record["chunk"] = explanation.chunk.id
        print_json(record | {"title": explanation.chunk.title, "query_must": explanation.chunk.query_must})
        return
    for line in explanation.lines():
        out.print(line)
