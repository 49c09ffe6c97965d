from pathlib import Path

import pytest

from evals.benchmarks.books import read_books
from evals.benchmarks.fts5 import REFERENCE
from evals.benchmarks.parsed_chunks import ScoringSearcher
from evals.benchmarks.referenced import ReferencedRetriever, retriever_for
from evals.benchmarks.tables import read_tables
from retrieval.errors import InvalidQueryError
from retrieval.search.metadata_filter.filter import Eq
from retrieval.search.strategies import STRATEGIES

BOOK = "# Arms\n\n| Weapon | Damage |\n|---|---|\n| Dagger | 1d4 |\n| Mace | 1d6 |\n\n# Cheap\n\nA dagger is cheap.\n"


@pytest.fixture
def retriever(tmp_path: Path, lines, opened):
    (tmp_path / "books" / "one").mkdir(parents=True)
    (tmp_path / "books" / "one" / "01.md").write_text(BOOK)
    lines(tmp_path / "books" / "one.open.jsonl", [{"id": "q", "query": "x", "gold": []}])
    (corpus,) = read_books(tmp_path / "books", "open")
    with (
        opened(corpus) as (plain, chunks),
        retriever_for([REFERENCE], plain.snapshot, plain.embedder, chunks) as referenced,
    ):
        yield referenced


def test_the_reference_ranks_the_chunks_of_the_snapshot(retriever) -> None:
    found = retriever.retrieve("what damage does the dagger do?", 15, REFERENCE)
    assert found.strategy == "fts5"
    assert found.hits[0].chunk.row_key == "Dagger"
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert found.receipt.canonical == '"damage" OR "dagger"'


def test_a_filter_holds_for_it(retriever) -> None:
    found = retriever.retrieve("dagger", 15, REFERENCE, where=Eq("kind", "prose"))
    assert [hit.chunk.kind for hit in found.hits] == ["prose"]


def test_other_strategies_are_answered_as_before(retriever) -> None:
    found = retriever.retrieve("dagger damage", 3, STRATEGIES["default"])
    assert (found.strategy, found.hits[0].chunk.row_key) == ("default", "Dagger")


def test_chunks_in_memory_change_no_answer(retriever) -> None:
    parsed = ScoringSearcher(retriever, tuple(retriever.snapshot.chunks), timed=1).parsed
    assert parsed.retrieve("dagger", 9, REFERENCE).hits == retriever.retrieve("dagger", 9, REFERENCE).hits


def test_who_does_not_ask_for_it_gets_a_plain_retriever(retriever) -> None:
    with retriever_for([STRATEGIES["bm25"]], retriever.snapshot, retriever.embedder, ()) as plain:
        assert not isinstance(plain, ReferencedRetriever)
        with pytest.raises(InvalidQueryError, match="no leg"):
            plain.retrieve("dagger", 3, REFERENCE)


def test_it_is_asked_within_a_table_as_any_strategy(tables_folder: Path, opened) -> None:
    (corpus,) = read_tables("rows", tables_folder, "open")
    with (
        opened(corpus) as (plain, chunks),
        retriever_for([REFERENCE], plain.snapshot, plain.embedder, chunks) as retriever,
    ):
        _, within = corpus.question_sets(retriever, chunks)
        found = within.ask(within.questions[0], 15, REFERENCE)
        assert {hit.chunk.document for hit in found.hits} == {"t1.md"}
        assert within.judge(within.questions[0], found.chunk_ids).ranks == (1,)
