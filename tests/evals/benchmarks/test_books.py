from pathlib import Path

import pytest

from evals.benchmarks.books import is_set_of_books, read_books
from evals.benchmarks.data_files import BenchmarkDataError

BOOK = "# Arms\n\n| Weapon | Damage |\n|---|---|\n| Dagger | 1d4 |\n| Mace | 1d6 |\n"
GOLD = {
    "file": "srd-1.0/01.md",
    "line": 5,
    "heading_path": ["Arms"],
    "row_key": "Dagger",
    "snippet": "| Dagger | 1d4 |",
}


@pytest.fixture
def folder(tmp_path: Path, lines) -> Path:
    for name in ("srd-1.0", "unasked"):
        (tmp_path / "books" / name).mkdir(parents=True)
        (tmp_path / "books" / name / "01.md").write_text(BOOK)
    question = {"id": "q", "book": "srd-1.0", "kind": "lookup", "query": "dagger damage", "gold": [GOLD]}
    lines(tmp_path / "books" / "srd-1.0.open.jsonl", [question])
    return tmp_path / "books"


def test_each_book_with_questions_is_searched_by_itself(folder: Path, opened) -> None:
    (corpus,) = read_books(folder, "open")
    assert corpus.name == "srd-1.0"
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
        (gold,) = [chunk for chunk in chunks if chunk.id in questions.gold(questions.questions[0])]
    assert (questions.name, questions.split, gold.row_key) == ("books", "open", "Dagger")


def test_a_changed_book_has_another_digest(folder: Path) -> None:
    before = read_books(folder, "open")[0].digest
    (folder / "srd-1.0" / "01.md").write_text(BOOK + "\nMore.\n")
    assert read_books(folder, "open")[0].digest != before


def test_a_split_without_questions_names_the_splits_that_are_there(folder: Path) -> None:
    with pytest.raises(BenchmarkDataError, match=r"no <book>\.held\.jsonl .*its splits: srd-1\.0: open$"):
        read_books(folder, "held")


def test_a_folder_whose_name_cannot_name_a_set_is_refused(folder: Path) -> None:
    spaced = folder.rename(folder.parent / "my books")
    with pytest.raises(BenchmarkDataError, match="'my books' cannot name a set"):
        read_books(spaced, "open")


def test_a_folder_is_a_set_of_books_by_what_is_in_it(folder: Path) -> None:
    assert is_set_of_books(folder)
    assert not is_set_of_books(folder / "srd-1.0")
    assert not is_set_of_books(folder.parent)
