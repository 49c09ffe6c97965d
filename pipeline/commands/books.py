"""`querymust books`: the books that were indexed, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json

if TYPE_CHECKING:
    from pipeline.building.book_entry import BookEntry


def list_indexed_books(home: HomeOption = DEFAULT_HOME, json_: JsonOption = False) -> None:
    """List the books that were indexed, with their documents, chunks, tables, guarded chunks and warnings.

    \b
    Examples:
      querymust books
      querymust books --json
    """
    from pipeline.building.book_entry import book_entries
    from retrieval.errors import NothingLiveError
    from retrieval.home import Home

    opened = Home.at(home)
    entries = tuple(book_entries(opened).values())
    if not entries:
        raise NothingLiveError.of(opened.root, "no book was indexed")
    if json_:
        print_json([record(entry) for entry in entries])
        return
    table = Table(box=None, padding=(0, 2, 0, 0), highlight=False)
    for name in ("book", "title"):
        table.add_column(name, overflow="fold")
    numbers = ("documents", "chunks", "tables", "guarded", "warnings")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for entry in entries:
        values = record(entry)
        cells = (f"{values[name]:,}" for name in numbers[:-1])
        title = "" if entry.title == entry.slug else entry.title.replace("[", "\\[")
        table.add_row(entry.slug, title, *cells, str(len(entry.warnings)))
    out.print(table)


def record(entry: BookEntry) -> dict[str, object]:
    """A book as JSON values."""
    return {
        "book": entry.slug,
        "title": entry.title,
        "documents": entry.n_documents,
        "chunks": entry.n_chunks,
        "tables": entry.n_tables,
        "guarded": entry.n_guarded,
        "warnings": list(entry.warnings),
        "ignored": list(entry.ignored),
    }
