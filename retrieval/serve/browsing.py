"""The books as a reader browses them: their documents, what stands in each, and whole tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from retrieval.errors import UnknownNameError
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.refusal import in_words
from retrieval.serve.rendering import Renderer
from retrieval.types import Chunk

MOST_ROWS = 2000
"""Rows of one table that are sent at once."""
FIRST_ROWS = 12
"""Rows of a long table that its document shows."""
EXAMPLE_TABLES = 80
"""Tables that examples are taken from; not each gives one."""
LONGEST_NAME, LONGEST_TITLE = 30, 50
"""Characters of a name and of a table's title in an example."""


@dataclass(frozen=True, slots=True)
class ShelfBook:
    """A book of the live index. Key: book."""

    book: str
    title: str
    n_documents: int
    n_chunks: int


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table in a list. Key: id."""

    id: str
    """Chunk id of its first row."""
    title: str
    n_rows: int


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document of a book. Key: document."""

    document: str
    title: str
    """Its first heading, else its path."""
    tables: tuple[TableEntry, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row as a reader sees it. Key: id."""

    id: str
    """Chunk id; what a link to the row names."""
    cells: tuple[str, ...]
    """HTML."""
    predicate: str
    """What a question must say to get the row, as a sentence; empty: nothing."""
    line: int


@dataclass(frozen=True, slots=True)
class WholeTable:
    """A table with its rows. Key: id."""

    id: str
    """Chunk id of its first row."""
    title: str
    book: str
    document: str
    heading_path: tuple[str, ...]
    kind: str
    """`row`, or `record`: one thing with its properties, which are columns here."""
    columns: tuple[str, ...]
    """HTML."""
    rows: tuple[TableRow, ...]
    n_rows: int
    """More than there are `rows` where not all were sent."""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a passage or a table of a document, in reading order; with `heading`, `html` or `table`."""

    id: str
    """Chunk id of a passage, or of a table's first row; of a heading nothing."""
    level: int = 0
    heading: str = ""
    html: str = ""
    table: WholeTable | None = None


def list_books(snapshot: Snapshot) -> tuple[ShelfBook, ...]:
    """The books of a snapshot in the order of their names; one chunk of each is read."""
    column = snapshot.metadata.columns.get("book")
    books = []
    for name in column.texts if column else ():
        positions = np.flatnonzero(snapshot.metadata.mask("book", "eq", name))
        title = str(snapshot.chunks[int(positions[0])].metadata.get("title", ""))
        # Where documents have titles of their own, none of them is the book's.
        is_title = title and snapshot.metadata.mask("title", "eq", title)[positions].all()
        n_documents = sum(1 for _ in _documents_of(snapshot, name))
        books.append(ShelfBook(name, title if is_title else name, n_documents, len(positions)))
    return tuple(books)


def list_documents(snapshot: Snapshot, book: str) -> tuple[DocumentEntry, ...]:
    """The documents of a book in the order of their paths, each with its tables in reading order.

    Raises:
        UnknownNameError: no book is called so.
    """
    column = snapshot.metadata.columns.get("book")
    if column is None or book not in column.texts:
        raise UnknownNameError("book", book, column.texts if column else ())
    return tuple(_document_entry(snapshot, book, path) for path in _documents_of(snapshot, book))


def read_document(snapshot: Snapshot, book: str, document: str) -> tuple[Block, ...]:
    """What stands in a document, in reading order; of a long table the first rows.

    Raises:
        UnknownNameError: the book has no such document.
    """
    chunks = _chunks_of(snapshot, book, document)
    if not chunks:
        advice = "the page of the book lists its documents"
        raise UnknownNameError("document", document, [], advice, also=_documents_of(snapshot, book))
    return tuple(_blocks(chunks, Renderer.of(snapshot)))


def read_table(snapshot: Snapshot, chunk_id: str) -> WholeTable:
    """The whole table of a row; of a table of more than `MOST_ROWS` those around the row.

    Raises:
        UnknownNameError: there is no such chunk, or it is no row of a table.
    """
    position = int(snapshot.chunks.positions([chunk_id])[0])
    chunk = snapshot.chunks[position]
    if chunk.table_id is None:
        raise UnknownNameError("row", chunk_id, [], "this chunk is a passage, and in no table")
    rows = sorted(
        (snapshot.chunks[int(place)] for place in snapshot.evidence.rows[snapshot.evidence.of[position]]),
        key=lambda row: row.position,
    )
    start = max(0, min(rows.index(chunk) - MOST_ROWS // 2, len(rows) - MOST_ROWS))
    return _table(rows, Renderer.of(snapshot), start, MOST_ROWS)


def table_size(snapshot: Snapshot, row: Chunk) -> int:
    """Rows of the table of a row; 0 of a passage."""
    if row.table_id is None:
        return 0
    position = int(snapshot.chunks.positions([row.id])[0])
    return len(snapshot.evidence.rows[snapshot.evidence.of[position]])


def example_rows(snapshot: Snapshot) -> tuple[tuple[str, Chunk], ...]:
    """Look-ups in tables all over the books, each with the row that it is about, one of each book first.

    They name what a reader would name, so tables of numbers, long names and empty cells give none.
    """
    tables = range(snapshot.evidence.n_tables)
    numbers = tables[:: max(1, len(tables) // EXAMPLE_TABLES)]
    middle = (int(rows[len(rows) // 2]) for rows in map(snapshot.evidence.rows.__getitem__, numbers))
    found = [example for position in middle if (example := _example(snapshot.chunks[position]))]
    earlier: Counter[str] = Counter()
    rounds = []
    for question, row in found:
        # A second look-up into one document comes after the first into every other.
        earlier.update((row.book, f"{row.book}/{row.document}"))
        rounds.append((earlier[f"{row.book}/{row.document}"], earlier[row.book], question, row))
    return tuple((question, row) for _, _, question, row in sorted(rounds, key=lambda each: each[:2]))


def _example(row: Chunk) -> tuple[str, Chunk] | None:
    key, title = row.called or row.row_key or "", table_title(row)
    cells = [(column, cell.strip()) for column, cell in zip(row.columns, row.cells, strict=True)]
    columns = [column for column, cell in cells if cell not in ("", row.row_key) and _is_name(column)]
    if row.kind != "row" or not columns or not _is_name(key) or len(title) > LONGEST_TITLE:
        return None
    return f"{columns[len(columns) // 2]} of {key} ({title})?", row


def _is_name(text: str) -> bool:
    """Whether a text is short, and rather of letters than of signs and figures."""
    return len(text) <= LONGEST_NAME and 2 * sum(map(str.isalpha, text)) > len(text)


def _documents_of(snapshot: Snapshot, book: str) -> Iterator[str]:
    column = snapshot.metadata.columns.get("document")
    of_book = snapshot.metadata.mask("book", "eq", book)
    for path in column.texts if column else ():
        if (snapshot.metadata.mask("document", "eq", path) & of_book).any():
            yield path


def _chunks_of(snapshot: Snapshot, book: str, document: str) -> list[Chunk]:
    """The chunks of a document in reading order."""
    columns = snapshot.metadata.columns
    if not {"book", "document"} <= columns.keys():
        return []
    mask = snapshot.metadata.mask("book", "eq", book) & snapshot.metadata.mask("document", "eq", document)
    chunks = [snapshot.chunks[int(position)] for position in np.flatnonzero(mask)]
    return sorted(chunks, key=lambda chunk: chunk.position)


def _document_entry(snapshot: Snapshot, book: str, path: str) -> DocumentEntry:
    chunks = _chunks_of(snapshot, book, path)
    heading = chunks[0].heading_path[0] if chunks[0].heading_path else path
    tables = [list(rows) for table, rows in groupby(chunks, key=lambda chunk: chunk.table_id) if table]
    return DocumentEntry(
        path,
        heading,
        tuple(TableEntry(rows[0].id, table_title(rows[0]), len(rows)) for rows in tables if rows[0].kind == "row"),
    )


def _blocks(chunks: Sequence[Chunk], renderer: Renderer) -> Iterator[Block]:
    under: tuple[str, ...] = ()
    for table, members in groupby(chunks, key=lambda chunk: chunk.table_id):
        for chunk in members if table is None else [next(members)]:
            for level, heading in enumerate(chunk.heading_path, start=1):
                if chunk.heading_path[:level] != under[:level]:
                    yield Block("", level=level, heading=heading)
            under = chunk.heading_path
            if table is None:
                yield Block(chunk.id, html=renderer.block(chunk.source))
            else:
                rows = [chunk, *members]
                yield Block(chunk.id, table=_table(rows, renderer, 0, FIRST_ROWS))


def _table(rows: Sequence[Chunk], renderer: Renderer, start: int, most: int) -> WholeTable:
    first = rows[0]
    return WholeTable(
        id=first.id,
        title=table_title(first),
        book=first.book,
        document=first.document,
        heading_path=first.heading_path,
        kind=first.kind,
        columns=tuple(map(renderer.plain, first.columns)),
        rows=tuple(
            TableRow(
                row.id,
                tuple(map(renderer.plain, row.cells)),
                in_words(row.query_must) if row.query_must else "",
                row.lines[0],
            )
            for row in rows[start : start + most]
        ),
        n_rows=len(rows),
    )


def table_title(row: Chunk) -> str:
    """What a table is called: its caption, unless that is a sentence before it; else the heading above it."""
    caption = None if row.introduced else row.caption
    return caption or (row.heading_path[-1] if row.heading_path else row.document)
