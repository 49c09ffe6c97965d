import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from evals.benchmarks import shelf
from evals.benchmarks.books import BenchmarkDataError
from evals.benchmarks.published import SHELF_DIGEST, SHELF_VERSION, book_set, set_digest
from evals.sample import SHELF
from tests.conftest import write_lines


def test_the_shelf_is_seven_books_with_their_questions() -> None:
    books = shelf()
    assert (books.name, books.version, len(books.books), len(books.questions)) == ("shelf", SHELF_VERSION, 7, 420)
    for book in books.books:
        assert (len(book.documents), len(book.questions), book.split) == (10, 60, "open")
        assert all(document.text.strip() for document in book.documents)
    with pytest.raises(FrozenInstanceError):
        books.version = "2"  # type: ignore[misc]


def test_a_changed_shelf_has_a_new_version() -> None:
    assert set_digest(SHELF) == SHELF_DIGEST, "raise SHELF_VERSION, and tell on the data card what changed"
    card = (SHELF / "README.md").read_text("utf-8")
    assert re.search(rf"^\| {re.escape(SHELF_VERSION)} \|", card, re.MULTILINE)


def test_any_folder_of_books_with_questions_is_a_set(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.md").write_text("# One\n\nText.")
    line = {"id": "1", "query": "one", "gold": []}
    write_lines(tmp_path / "a.sealed.jsonl", line)
    write_lines(tmp_path / "b.sealed.jsonl", line)
    books = book_set(tmp_path)
    assert [(book.name, book.split) for book in books.books] == [("a", "sealed"), ("b", "sealed")]
    assert books.version == set_digest(tmp_path)[:12]

    write_lines(tmp_path / "b.open.jsonl", line)
    with pytest.raises(BenchmarkDataError, match="several splits: open, sealed"):
        book_set(tmp_path)
    assert [book.name for book in book_set(tmp_path, "open").books] == ["b"]
    with pytest.raises(BenchmarkDataError, match=r"no <book>\.hidden\.jsonl"):
        book_set(tmp_path, "hidden")
