"""Documents that tables are told by."""

from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.document_words import document_words
from retrieval.ingest.tables.rows import transform_tables
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Book, Document

TABLE = "| Bit | Name |\n|---|---|\n| 5 | EMPTY |\n"


def book(**documents: str) -> Book:
    return Book("b", "B", tuple(Document("b", path, text) for path, text in documents.items()))


def words(**documents: str) -> list[tuple[str, ...]]:
    tables = parse_book(book(**documents)).tables
    found = document_words(tables)
    return [found.get(table.id, ()) for table in tables]


def test_documents_with_the_same_headings_are_told_by_their_paths() -> None:
    same = f"# Registers\n\n## STATUS\n\n{TABLE}"
    paths = ("02-uart-registers.md", "03-spi-host-registers.md")
    assert words(**dict.fromkeys(paths, same)) == [("uart",), ("spi host",)]
    assert words(**dict.fromkeys(("pump/doc/registers.md", "fan/doc/registers.md"), same)) == [("pump",), ("fan",)]


def test_a_table_whose_headings_tell_it_needs_no_document() -> None:
    assert words(**{"a.md": f"# Sails\n\n{TABLE}", "b.md": f"# Ropes\n\n{TABLE}"}) == [(), ()]
    assert words(**{"1.md": f"# Sails\n\n{TABLE}", "2.md": f"# Sails\n\n{TABLE}"}) == [(), ()], "a number tells nothing"


def test_the_rows_are_found_by_their_document() -> None:
    text = f"# Registers\n\n{TABLE}"
    tables = parse_book(book(**{"uart.md": text, "spi.md": text})).tables
    rows = transform_tables(tables, Vocabulary.default())
    assert [row.searched_as for row in rows] == [("uart",), ("spi",)]
