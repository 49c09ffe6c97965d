from pathlib import Path

import pytest

from evals.benchmarks.corpus import chunks_of_book
from pipeline.runs.rebuild.library import add_document, edit_cell, remove_book, write_library
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


def test_a_library_has_the_chunks_that_were_asked_for(tmp_path: Path) -> None:
    write_library(tmp_path / "one", 400, 0)
    write_library(tmp_path / "two", 400, 0)
    (book,) = list_books(tmp_path / "one")
    assert book.digest == list_books(tmp_path / "two")[0].digest
    chunks = chunks_of_book(read_book(book), Vocabulary.default())
    assert len(chunks) == 400
    assert sum(chunk.kind == "row" for chunk in chunks) == 360
    assert len({chunk.heading_path[-1] for chunk in chunks}) == 2 * 29


def test_each_edit_changes_what_it_says(tmp_path: Path) -> None:
    write_library(tmp_path, 1_400, 0)
    before = {path: path.read_text() for path in sorted(tmp_path.rglob("*.md"))}
    edit_cell(tmp_path)
    (edited,) = [path for path, text in before.items() if path.read_text() != text]
    pairs = zip(before[edited].split("\n"), edited.read_text().split("\n"), strict=True)
    ((one, other),) = [(one, other) for one, other in pairs if one != other]
    assert other == one.removesuffix(" |") + "7 |"
    add_document(tmp_path, 0)
    assert len(list(tmp_path.glob("book-0000/*.md"))) == 6
    remove_book(tmp_path)
    assert [book.slug for book in list_books(tmp_path)] == ["book-0000"]


def test_a_library_without_a_number_in_a_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "one.md").write_text("# One\n\n| A | B |\n|---|---|\n| x | y |\n\n1 | 2 |\n")
    with pytest.raises(ValueError, match="no table row"):
        edit_cell(tmp_path)
