"""`querymust show`: one chunk whole, and what is around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json

if TYPE_CHECKING:
    from retrieval.index.snapshot.snapshot import Snapshot
    from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The chunks next to one in its document; None at its ends."""

    above: Chunk | None
    below: Chunk | None


def show_chunk(
    chunk: Annotated[str, typer.Argument(help="Id of the chunk, or its beginning; search prints it.")],
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show a chunk of the live index whole: its place, what it is called, its predicate in words, its neighbours.

    \b
    Examples:
      querymust show 0f8fad5b
      querymust show 0f8fad5b --json
    """
    from retrieval.index.snapshot.snapshot import open_snapshot

    snapshot = open_snapshot(home.expanduser().resolve())
    found = snapshot.chunks[int(snapshot.chunks.positions([snapshot.chunks.find(chunk)])[0])]
    if json_:
        print_json(_record(snapshot, found))
        return
    _print(snapshot, found)


def neighbours(snapshot: Snapshot, chunk: Chunk) -> Neighbours:
    """What is directly above and below a chunk in its document."""
    import numpy as np

    same = [snapshot.metadata.mask(key, "eq", getattr(chunk, key)) for key in ("book", "document")]
    document = [snapshot.chunks[int(position)] for position in np.flatnonzero(np.logical_and.reduce(same))]
    above = [each for each in document if each.position < chunk.position]
    below = [each for each in document if each.position > chunk.position]
    return Neighbours(
        max(above, key=lambda each: each.position, default=None),
        min(below, key=lambda each: each.position, default=None),
    )


def _record(snapshot: Snapshot, chunk: Chunk) -> dict[str, object]:
    from retrieval.query_must.wording import in_words
    from retrieval.search.json_record import chunk_record

    beside = neighbours(snapshot, chunk)
    return chunk_record(chunk, snapshot.chunks.short_id) | {
        "source": chunk.source,
        "names": list(chunk.names),
        "query_must_in_words": in_words(chunk.query_must),
        "metadata": dict(chunk.metadata),
        "above": beside.above and {"id": beside.above.id, "title": beside.above.title},
        "below": beside.below and {"id": beside.below.id, "title": beside.below.title},
    }


def _print(snapshot: Snapshot, chunk: Chunk) -> None:
    from rich.text import Text

    from pipeline.console.chunk_view import long_title, whole
    from pipeline.console.hits import INDENT, print_place

    beside = neighbours(snapshot, chunk)
    width = out.width - INDENT if out.is_terminal else None
    out.print(Text(long_title(chunk), style="bold"))
    print_place(chunk, snapshot.chunks.short_id)
    out.print(Text(" " * INDENT + f"id {chunk.id}, {chunk.kind}", style="dim"))
    for line in whole(chunk, width):
        out.print(Text(" " * INDENT) + line)
    for where, other in (("above", beside.above), ("below", beside.below)):
        said = f"{snapshot.chunks.short_id(other.id)}  {other.title}" if other else "nothing"
        out.print(Text.assemble(" " * INDENT, (f"{where}: ", "dim"), said))
