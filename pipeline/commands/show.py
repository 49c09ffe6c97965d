"""`querymust show`, `books` and `explain`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    StrategyOption,
    chosen_strategy,
    live_retriever,
)
from pipeline.console.output import out, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.building.book_records import BookEntry
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
    shown = snapshot.chunks[snapshot.chunks.position(snapshot.chunks.find(chunk))]
    if json_:
        print_json(_record(snapshot, shown))
        return
    _print(snapshot, shown)


def neighbours(snapshot: Snapshot, chunk: Chunk) -> Neighbours:
    """What is directly above and below a chunk in its document."""
    document = snapshot.document_of(chunk)
    at = document.index(chunk)
    above, below = document[:at], document[at + 1 :]
    return Neighbours(above[-1] if above else None, below[0] if below else None)


def _record(snapshot: Snapshot, chunk: Chunk) -> dict[str, object]:
    from retrieval.query_must.refusal import in_words
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

    from pipeline.console.hits import INDENT, long_title, print_place, whole

    beside = neighbours(snapshot, chunk)
    width = out.width - INDENT if out.is_terminal else None
    out.print(Text(long_title(chunk), style="bold"))
    print_place(chunk, snapshot.chunks.short_id)
    out.print(Text(" " * INDENT + f"id {chunk.id}, {chunk.kind}", style="dim"))
    for line in whole(chunk, width):
        out.print(Text(" " * INDENT) + line)
    for where, other in (("above", beside.above), ("below", beside.below)):
        neighbour = f"{snapshot.chunks.short_id(other.id)}  {other.title}" if other else "nothing"
        out.print(Text.assemble(" " * INDENT, (f"{where}: ", "dim"), neighbour))


def list_indexed_books(home: HomeOption = DEFAULT_HOME, json_: JsonOption = False) -> None:
    """List the books of the live index, with their documents, chunks, tables, guarded chunks and warnings.

    \b
    Examples:
      querymust books
      querymust books --json
    """
    from pipeline.building.book_records import book_entries
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot

    opened = Home.at(home)
    with open_snapshot(opened.root) as snapshot:
        books = _books_of(snapshot, book_entries(opened))
    if json_:
        print_json([record(book) for book in books])
        return
    table = Table(box=None, padding=(0, 2, 0, 0), highlight=False)
    for name in ("book", "title"):
        table.add_column(name, overflow="fold")
    numbers = ("documents", "chunks", "tables", "guarded", "warnings")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for book in books:
        cells = (book.n_documents, book.n_chunks, book.n_tables, book.n_guarded, len(book.warnings))
        table.add_row(book.slug, "" if book.title == book.slug else book.title, *(f"{cell:,}" for cell in cells))
    out.print(table)


@dataclass(frozen=True, slots=True)
class LiveBook:
    """A book of the live index. Key: slug."""

    slug: str
    title: str
    n_documents: int
    n_chunks: int
    n_tables: int
    n_guarded: int
    """Chunks with a predicate."""
    warnings: tuple[str, ...]
    """Of its last build here, which may be newer than what is live; none of an index that was built elsewhere."""
    ignored: tuple[str, ...]


def _books_of(snapshot: Snapshot, entries: Mapping[str, BookEntry]) -> list[LiveBook]:
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in snapshot.chunks:
        chunks[chunk.book].append(chunk)
    return [
        LiveBook(
            slug=slug,
            title=entries[slug].title if slug in entries else slug,
            n_documents=len({chunk.document for chunk in own}),
            n_chunks=len(own),
            n_tables=len({chunk.table_id for chunk in own} - {None}),
            n_guarded=sum(chunk.query_must is not None for chunk in own),
            warnings=entries[slug].warnings if slug in entries else (),
            ignored=entries[slug].ignored if slug in entries else (),
        )
        for slug, own in sorted(chunks.items())
    ]


def record(book: LiveBook) -> dict[str, object]:
    """A book as JSON values."""
    return {"book" if name == "slug" else name.removeprefix("n_"): value for name, value in asdict(book).items()}


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
        out.print(line)
