"""`querymust books`: the books of the live index."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.table import Table

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.building.book_records import BookEntry
    from retrieval.index.snapshot.snapshot import Snapshot
    from retrieval.types import Chunk


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
    """Those of its last build here, which may be newer than the live index; none if the index was built elsewhere."""
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
    """Return a book as JSON values."""
    return {"book" if name == "slug" else name.removeprefix("n_"): value for name, value in asdict(book).items()}
