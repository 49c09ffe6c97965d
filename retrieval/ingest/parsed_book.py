"""A book with its markdown parsed once, from which both tables and chunks are made."""

from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from retrieval.files.records import read_jsonl
from retrieval.ingest.losses import Loss, attempt, recorded_losses
from retrieval.ingest.markdown.blocks import Block, parse_blocks, with_title
from retrieval.ingest.owner_rules import apply_rules
from retrieval.ingest.tables.source_tables import PlacedTable, place_tables
from retrieval.ingest.tables.table import Table
from retrieval.types import Book, Document


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as blocks, with the tables among them."""

    document: Document
    blocks: tuple[Block, ...]
    placed: tuple[PlacedTable, ...]


@dataclass(frozen=True, slots=True)
class ParsedBook:
    """The parsed documents of a book in its order. It depends only on the text, deterministically."""

    documents: tuple[ParsedDocument, ...]
    """Documents that could be parsed."""
    losses: tuple[Loss, ...] = ()
    """Parts that are missing because a rule failed."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables in reading order."""
        return tuple(placed.table for document in self.documents for placed in document.placed)


def parse_book(book: Book) -> ParsedBook:
    """Parse the markdown of every document, and apply the rules of `tables.toml` to its tables."""
    with recorded_losses() as losses:
        parsed = [
            attempt(partial(_parse_document, document, book), lambda: None, "the document", document.path)
            for document in book.documents
        ]
    return ParsedBook(tuple(filter(None, parsed)), tuple(losses))


def read_parsed_book(path: Path) -> ParsedBook:
    """Parse the book whose record is in `path`; for the same file again, return the cached result.

    Only the last book is cached, which the steps of a build in one process share.

    Raises:
        FileNotFoundError: no such file.
        IndexCorruptError: it does not contain a book.
    """
    about = path.stat()
    return _read(path, about.st_ino, about.st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: Path, _file: int, _changed: int) -> ParsedBook:
    (book,) = read_jsonl(path, Book)
    return parse_book(book)


def _parse_document(document: Document, book: Book) -> ParsedDocument:
    # A document without its own title has the title of its book.
    title = str(document.metadata.get("title", book.title))
    stated = "" if title == book.title else title
    parsed = parse_blocks(document.text)
    blocks = attempt(
        lambda: with_title(parsed, document.path, stated), lambda: parsed, "the title of the document", document.path
    )
    placed = attempt(lambda: place_tables(document, blocks), lambda: (), "every table of the document", document.path)
    by_owner = attempt(
        lambda: apply_rules(placed, book.table_rules),
        lambda: placed,
        "what tables.toml says of the document",
        document.path,
    )
    return ParsedDocument(document, blocks, by_owner)
