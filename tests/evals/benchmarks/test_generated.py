import pytest

from evals.benchmarks.data_files import BenchmarkDataError
from evals.benchmarks.generated import read_generated

BOOK = """# Gear

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
    (tmp_path / "books" / "gear" / "01.md").write_text(BOOK, encoding="utf-8")
    return tmp_path / "books"


def test_every_book_is_a_corpus_and_the_split_is_the_seed(books):
    (corpus,) = read_generated([books], "seed7")

    assert (corpus.name, corpus.seed, corpus.split) == ("gear", 7, "seed7")


def test_a_split_that_is_no_seed_is_refused(books):
    with pytest.raises(BenchmarkDataError, match="such as seed0; not 'open'"):
        read_generated([books], "open")


def test_books_of_several_folders_are_one_set(books, tmp_path):
    (tmp_path / "more" / "rooms").mkdir(parents=True)
    (tmp_path / "more" / "rooms" / "01.md").write_text(BOOK, encoding="utf-8")
    found = read_generated([books, tmp_path / "more"], "seed0")

    assert {(each.set, each.name) for each in found} >= {("generated", "gear"), ("generated", "rooms")}


def test_two_books_of_one_name_are_refused(books):
    with pytest.raises(BenchmarkDataError, match="two folders have a book 'gear'"):
        read_generated([books, books], "seed0")
