"""The books for browsing: their documents, the content of each, and whole tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.errors import UnknownNameError
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.refusal import in_words
from retrieval.serve.rendering import Renderer
from retrieval.types import Chunk

MOST_ROWS = 2000
"""The most rows of one table that are sent at once."""
FIRST_ROWS = 12
"""The rows of a long table that are shown in its document."""

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ShelfBook:
    """A book of the live index. Key: book."""

    book: str
    title: str
    n_documents: int
    n_chunks: int


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table in a list of tables. Key: id."""

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
    """A row for display. Key: id."""

    id: str
    """Chunk id, used in links to the row."""
    cells: tuple[str, ...]
    """HTML."""
    predicate: str
    """What a question must contain to get the row, as a sentence; empty: no requirement."""
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
    """`row`, or `record`: one item with its properties, which are columns here."""
    columns: tuple[str, ...]
    """HTML."""
    rows: tuple[TableRow, ...]
    n_rows: int
    """Larger than the number of `rows` if not all were sent."""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a passage or a table of a document, in reading order; has `heading`, `html` or `table`."""

    id: str
    """Chunk id of a passage, or of a table's first row; empty for a heading."""
    level: int = 0
    heading: str = ""
    html: str = ""
    table: WholeTable | None = None


@dataclass(eq=False)
class Shelf:
    """The books of one snapshot, for browsing. The chunks of each document are read in one pass and cached.

    Any number of threads may share one.
    """

    snapshot: Snapshot
    _entries: dict[str, tuple[DocumentEntry, ...]] = field(default_factory=dict, repr=False)
    """The documents of the books that were listed so far."""

    def books(self) -> tuple[ShelfBook, ...]:
        """Return the books in the order of their names; one chunk of each is read."""
        return tuple(self._book(name, documents) for name, documents in self._positions.items())

    def documents(self, book: str) -> tuple[DocumentEntry, ...]:
        """Return the documents of a book in the order of their paths, each with its tables in reading order.

        Raises:
            UnknownNameError: no book has that name.
        """
        if book not in self._positions:
            raise UnknownNameError("book", book, self._positions)
        if book not in self._entries:
            paths = self._positions[book]
            self._entries[book] = tuple(_document_entry(path, self._chunks(book, path)) for path in paths)
        return self._entries[book]

    def document(self, book: str, document: str) -> tuple[Block, ...]:
        """Return the content of a document, in reading order; only the first rows of a long table.

        Raises:
            UnknownNameError: the book has no such document.
        """
        paths = self._positions.get(book, {})
        if document not in paths:
            advice = "the page of the book lists its documents"
            raise UnknownNameError("document", document, [], advice, also=paths)
        return tuple(_blocks(self._chunks(book, document), Renderer.of(self.snapshot)))

    @cached_property
    def _positions(self) -> Mapping[str, Mapping[str, Positions]]:
        """The chunks of each document of each book, both in the order of their names."""
        books, documents = self._numbers("book"), self._numbers("document")
        order = np.lexsort((documents.of, books.of))
        pairs = np.stack([books.of[order], documents.of[order]], axis=1)
        starts = np.flatnonzero(np.any(pairs != np.roll(pairs, 1, axis=0), axis=1)) if len(order) else order
        shelf: dict[str, dict[str, Positions]] = {name: {} for name in books.names}
        for positions in np.split(order, starts)[1:] if len(starts) else [order]:
            if len(positions):
                book, document = books.of[positions[0]], documents.of[positions[0]]
                shelf[books.names[book]][documents.names[document]] = positions
        return shelf

    def _numbers(self, key: str) -> "_Numbers":
        metadata = self.snapshot.metadata
        names = metadata.columns[key].texts if key in metadata.columns else ()
        numbers = np.zeros(len(self.snapshot), dtype=np.int32)
        for number, name in enumerate(names):
            numbers[metadata.positions(key, name)] = number
        return _Numbers(names, numbers)

    def _book(self, name: str, documents: Mapping[str, Positions]) -> ShelfBook:
        positions = np.concatenate(list(documents.values()))
        title = str(self.snapshot.chunks[int(positions.min())].metadata.get("title", ""))
        # If documents have different titles, none of them is the book's.
        is_title = title and self.snapshot.metadata.mask("title", "eq", title)[positions].all()
        return ShelfBook(name, title if is_title else name, len(documents), len(positions))

    def _chunks(self, book: str, document: str) -> list[Chunk]:
        """Return the chunks of a document in reading order."""
        chunks = [self.snapshot.chunks[int(position)] for position in self._positions[book][document]]
        return sorted(chunks, key=lambda chunk: chunk.position)


def read_table(snapshot: Snapshot, chunk_id: str) -> WholeTable:
    """Return the whole table of a row; if it has more than `MOST_ROWS`, those around the row.

    Args:
        chunk_id: of the row; it may be shortened to its beginning.

    Raises:
        UnknownNameError: there is no such chunk, or it is not a row of a table.
        AmbiguousNameError: several chunks begin so.
    """
    position = snapshot.chunks.position(snapshot.chunks.find(chunk_id))
    chunk = snapshot.chunks[position]
    if chunk.table_id is None:
        raise UnknownNameError("row", chunk_id, [], "this chunk is a passage, and in no table")
    rows = sorted(
        (snapshot.chunks[int(row)] for row in snapshot.chunk_tables.rows[snapshot.chunk_tables.of[position]]),
        key=lambda row: row.position,
    )
    start = max(0, min(rows.index(chunk) - MOST_ROWS // 2, len(rows) - MOST_ROWS))
    return _table(rows, Renderer.of(snapshot), start, MOST_ROWS)


def table_size(snapshot: Snapshot, row: Chunk) -> int:
    """Return the number of rows of a row's table; 0 for a passage."""
    if row.table_id is None:
        return 0
    return len(snapshot.chunk_tables.rows[snapshot.chunk_tables.of[snapshot.chunks.position(row.id)]])


_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)


class _Numbers(NamedTuple):
    names: Sequence[str]
    of: npt.NDArray[np.int32]
    """(n_chunks,) number of the name of each chunk."""


def _document_entry(path: str, chunks: Sequence[Chunk]) -> DocumentEntry:
    heading = chunks[0].heading_path[0] if chunks[0].heading_path else path
    tables = [list(rows) for table, rows in groupby(chunks, key=lambda chunk: chunk.table_id) if table]
    return DocumentEntry(
        path,
        heading,
        tuple(TableEntry(rows[0].id, table_title(rows[0]), len(rows)) for rows in tables if rows[0].kind == "row"),
    )


def _blocks(chunks: Sequence[Chunk], renderer: Renderer) -> Iterator[Block]:
    """Yield headings, passages and tables. A table that the passages already contain, such as a listing, is left
    out."""
    passages = [chunk for chunk in chunks if chunk.table_id is None]
    under: tuple[str, ...] = ()
    fence = ""
    for table, members in groupby(chunks, key=lambda chunk: chunk.table_id):
        for chunk in members if table is None else [next(members)]:
            if table is not None and any(_is_shown_in(passage, chunk) for passage in passages):
                continue
            for level, heading in enumerate(chunk.heading_path, start=1):
                if chunk.heading_path[:level] != under[:level]:
                    yield Block("", level=level, heading=heading)
            under = chunk.heading_path
            if table is None:
                source = f"{fence}\n{chunk.source}" if fence else chunk.source
                fence = _open_fence(source)
                yield Block(chunk.id, html=renderer.block(source, chunk))
            else:
                rows = [chunk, *members]
                yield Block(chunk.id, table=_table(rows, renderer, 0, FIRST_ROWS))


def _is_shown_in(passage: Chunk, row: Chunk) -> bool:
    return passage.lines[0] <= row.lines[0] <= passage.lines[1] and row.source.split("\n")[0].strip() in passage.source


def _open_fence(markdown: str) -> str:
    """Return the fence of a code block that a passage opens and the next one continues; empty if there is none."""
    fence = ""
    for mark in _FENCE.findall(markdown):
        fence = "" if fence and mark.startswith(fence) else fence or mark
    return fence


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
    """Return the title of a table: its caption, unless that is a sentence before it; else the heading above it."""
    caption = None if row.introduced else row.caption
    return caption or (row.heading_path[-1] if row.heading_path else row.document)
