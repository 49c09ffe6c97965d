"""A book with its markdown read: what tables and chunks are both made from, so that one reading serves them."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from retrieval.ingest.markdown.blocks import Block, parse_blocks
from retrieval.ingest.markdown.page_title import with_title
from retrieval.ingest.ruled_tables import ruled
from retrieval.ingest.tables.source.source_tables import PlacedTable, place_tables
from retrieval.ingest.tables.table import Table
from retrieval.records import read_jsonl
from retrieval.types import Book, Document


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as blocks, and the tables among them."""

    document: Document
    blocks: tuple[Block, ...]
    placed: tuple[PlacedTable, ...]


@dataclass(frozen=True, slots=True)
class ParsedBook:
    """The documents of a book in its own order. Made from the text alone; the same book is read the same way."""

    documents: tuple[ParsedDocument, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table in reading order."""
        return tuple(placed.table for document in self.documents for placed in document.placed)


def parse_book(book: Book) -> ParsedBook:
    """Read the markdown of every document, and give its tables what `tables.toml` says of them.

    Raises:
        LibraryError: two entries of `tables.toml` are about one table.
    """
    return ParsedBook(tuple(_parsed(document, book) for document in book.documents))


def read_parsed_book(path: Path) -> ParsedBook:
    """Parse the book whose record `path` holds; asked again for the same file, the book is not parsed again.

    Only the last book is kept. The steps of a build that run in one process therefore share it.

    Raises:
        FileNotFoundError: no such file.
        IndexCorruptError: it does not hold a book.
        LibraryError: two entries of its `tables.toml` are about one table.
    """
    about = path.stat()
    return _read(path, about.st_ino, about.st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: Path, _file: int, _changed: int) -> ParsedBook:
    (book,) = read_jsonl(path, Book)
    return parse_book(book)


def _parsed(document: Document, book: Book) -> ParsedDocument:
    # A document without a title of its own has that of its book.
    title = str(document.metadata.get("title", book.title))
    blocks = with_title(parse_blocks(document.text), document.path, "" if title == book.title else title)
    return ParsedDocument(document, blocks, ruled(place_tables(document, blocks), book.table_rules))
