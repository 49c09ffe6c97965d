from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.files.records import write_jsonl
from retrieval.ingest import parsed_book
from retrieval.ingest.markdown.blocks import Block, parse_blocks
from retrieval.ingest.parsed_book import parse_book, read_parsed_book
from retrieval.types import Book, Document

TABLE = "# Gear\n\nBought in towns.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"


def book_of(*texts: str) -> Book:
    return Book("b", "B", tuple(Document("b", f"{n}.md", text) for n, text in enumerate(texts)))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed, in their order."""
    texts: list[str] = []

    def counted(text: str) -> tuple[Block, ...]:
        texts.append(text)
        return parse_blocks(text)

    monkeypatch.setattr(parsed_book, "parse_blocks", counted)
    return texts


def test_the_tables_of_all_documents_come_in_reading_order() -> None:
    book = parse_book(book_of(TABLE, "no table", TABLE))
    assert [table.document for table in book.tables] == ["0.md", "2.md"]
    assert [[block.kind for block in document.blocks] for document in book.documents] == [
        ["heading", "text", "table"],
        ["text"],
        ["heading", "text", "table"],
    ]


def test_two_steps_of_a_build_parse_a_book_once(tmp_path: Path, parsed: list[str]) -> None:
    write_jsonl(tmp_path / "book.jsonl", [book_of(TABLE, "more")])
    assert read_parsed_book(tmp_path / "book.jsonl").tables == parse_book(book_of(TABLE, "more")).tables
    parsed.clear()
    read_parsed_book(tmp_path / "book.jsonl")
    assert parsed == []


def test_a_book_that_was_written_again_is_parsed_again(tmp_path: Path, parsed: list[str]) -> None:
    write_jsonl(tmp_path / "book.jsonl", [book_of("one")])
    read_parsed_book(tmp_path / "book.jsonl")
    write_jsonl(tmp_path / "book.jsonl", [book_of("two")])
    read_parsed_book(tmp_path / "book.jsonl")
    assert parsed == ["one", "two"]


def test_a_file_that_holds_no_book_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book.jsonl").write_text("{}\n")
    with pytest.raises(IndexCorruptError, match="not a Book"):
        read_parsed_book(tmp_path / "book.jsonl")
