import pytest

from evals.benchmarks.data_files import BenchmarkDataError
from evals.benchmarks.sets import read_benchmark

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
    (tmp_path / "gear").mkdir()
    (tmp_path / "gear" / "01.md").write_text(BOOK, encoding="utf-8")
    return tmp_path


def test_every_book_is_a_corpus_and_the_split_is_the_seed(books):
    (corpus,) = read_benchmark("generated", books, "seed7")

    assert (corpus.name, corpus.seed, corpus.split) == ("gear", 7, "seed7")


def test_a_split_that_is_no_seed_is_refused(books):
    with pytest.raises(BenchmarkDataError, match="such as seed0; not 'open'"):
        read_benchmark("generated", books, "open")
