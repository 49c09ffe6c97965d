import gzip
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from evals.sample import SHELF
from tests.conftest import write_lines
from tools.corpora import shelf
from tools.corpora.books import (
    SHELF_VERSION,
    BenchmarkDataError,
    benchmark_folder,
    book_set,
    data_file,
    digest_of,
    is_set_of_books,
    read_books,
    read_generated,
    read_records,
    set_digest,
    stems,
)

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


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkDataError, match="nowhere is not a folder; name the folder") as caught:
        benchmark_folder(tmp_path / "nowhere")
    assert "\n" not in str(caught.value)


def test_a_missing_file_names_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "open.jsonl").write_text("")
    with pytest.raises(BenchmarkDataError, match=r"has no held.jsonl or held.jsonl.gz; it has: open.jsonl"):
        data_file(tmp_path, "held")


@pytest.mark.parametrize("name", ["open.jsonl", "open.jsonl.gz"])
def test_a_file_may_be_compressed_or_not(tmp_path: Path, name: str) -> None:
    content = b'{"a": 1}\n\n{"a": 2}\n'
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert list(read_records(data_file(tmp_path, "open"), lambda record: record["a"])) == [1, 2]


@pytest.mark.parametrize("line", ["{", "[]", '{"b": 1}'])
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(BenchmarkDataError, match=r"x\.jsonl:2: not a line of this format"):
        list(read_records(tmp_path / "x.jsonl", lambda record: record["a"]))


def test_a_broken_archive_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(b"no archive")
    with pytest.raises(BenchmarkDataError, match="cannot be read as UTF-8 lines"):
        list(read_records(tmp_path / "x.jsonl.gz", dict))


def test_stems_are_what_stands_before_the_suffix(tmp_path: Path) -> None:
    for name in ("srd-3.5.open.jsonl", "a.open.jsonl.gz", "a.held.jsonl", "open.jsonl"):
        (tmp_path / name).write_text("")
    assert stems(tmp_path, ".open") == ("a", "srd-3.5")


def test_a_digest_depends_on_names_and_bytes_and_not_on_the_order(tmp_path: Path) -> None:
    for name, content in (("a", "1"), ("b", "2"), ("c", "1")):
        (tmp_path / name).write_text(content)
    a, b, c = (tmp_path / name for name in "abc")
    assert digest_of([a, b]) == digest_of([b, a])
    assert len({digest_of([a]), digest_of([b]), digest_of([c])}) == 3


GENERATED_BOOK = """# Gear

## Armor

**Armor Table**

| Armor | Cost | Weight |
| --- | --- | --- |
| Leather | 5 | 15 |
| Ring mail | 30 | 25 |
| Chain mail | 75 | 40 |
| Plate mail | 400 | 45 |
"""


@pytest.fixture
def books(tmp_path):
    (tmp_path / "books" / "gear").mkdir(parents=True)
    (tmp_path / "books" / "gear" / "01.md").write_text(GENERATED_BOOK, encoding="utf-8")
    return tmp_path / "books"


def test_every_book_is_a_corpus_and_the_split_is_the_seed(books):
    (corpus,) = read_generated([books], "seed7")

    assert (corpus.name, corpus.seed, corpus.split) == ("gear", 7, "seed7")


def test_a_split_that_is_no_seed_is_refused(books):
    with pytest.raises(BenchmarkDataError, match="such as seed0; not 'open'"):
        read_generated([books], "open")


def test_books_of_several_folders_are_one_set(books, tmp_path):
    (tmp_path / "more" / "rooms").mkdir(parents=True)
    (tmp_path / "more" / "rooms" / "01.md").write_text(GENERATED_BOOK, encoding="utf-8")
    result = read_generated([books, tmp_path / "more"], "seed0")

    assert {(each.set, each.name) for each in result} >= {("generated", "gear"), ("generated", "rooms")}


def test_two_books_of_one_name_are_refused(books):
    with pytest.raises(BenchmarkDataError, match="two folders have a book 'gear'"):
        read_generated([books, books], "seed0")


SHELF_DIGEST = "bcd26dca2e2944adbe93117c70ca4fa3ce58a3a78bd9e25bf13614e7edcce13d"


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
