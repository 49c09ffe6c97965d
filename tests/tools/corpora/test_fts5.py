import sqlite3
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import InvalidQueryError
from retrieval.search.metadata_filter import Eq
from retrieval.search.strategies import STRATEGIES
from tools.bench.run import ScoringSearcher
from tools.corpora import fts5
from tools.corpora.books import read_books
from tools.corpora.fts5 import (
    REFERENCE,
    Fts5Index,
    MissingFts5Error,
    ReferencedRetriever,
    match_expression,
    retriever_for,
    why_missing,
)
from tools.corpora.tables import read_tables


@pytest.fixture
def index(make_chunk):
    """An index over chunks, closed when the test is over."""
    opened = []

    def build(*chunks):
        opened.append(Fts5Index(chunks))
        return opened[-1]

    yield build
    for each in opened:
        each.close()


def row(make_chunk, name, key="other", **given):
    cells = given.pop("cells", (key, "7"))
    return make_chunk(name, row_key=key, columns=("Weapon", "Damage"), cells=cells, **given)


def search_positions(index, question, k=15, passing=None):
    return [position for position, _ in index.search(question, k, passing)]


def test_a_question_is_its_words_without_stop_words_each_quoted():
    assert match_expression("What is the damage of a DAGGER, or of a dagger's hilt?") == (
        '"damage" OR "dagger" OR "s" OR "hilt"'
    )


@pytest.mark.parametrize("question", ['NEAR("a" b)', "damage* AND (x:y) -z ^w", 'it"s', "key : dagger + '"])
def test_what_is_syntax_to_fts5_is_only_words(index, make_chunk, question):
    assert search_positions(index(row(make_chunk, "a", "dagger")), question + " dagger") == [0]


def test_stop_words_are_asked_where_there_is_nothing_else(index, make_chunk):
    chunks = [row(make_chunk, "a", "the who"), row(make_chunk, "b", "a mace")]
    assert search_positions(index(*chunks), "The Who") == [0]


def test_a_question_without_a_word_and_one_that_nothing_answers_find_nothing(index, make_chunk):
    table = index(row(make_chunk, "a", "dagger"))
    assert table.search("?!", 5) == ()
    assert table.search("halberd", 5) == ()


def test_a_key_weighs_more_than_a_heading_and_a_heading_more_than_text_and_columns(index, make_chunk):
    chunks = [
        make_chunk("a", kind="prose", text="A dagger of some sort"),
        make_chunk("b", columns=("Dagger", "Damage"), cells=("x", "7"), row_key="x"),
        make_chunk("c", heading_path=("Dagger",), columns=("Weapon", "Damage"), cells=("x", "7"), row_key="x"),
        make_chunk("d", columns=("Weapon", "Damage"), cells=("dagger", "7"), row_key="dagger"),
    ]
    ranking = search_positions(index(*chunks), "dagger")
    assert ranking[:2] == [3, 2]
    assert set(ranking) == {0, 1, 2, 3}


def test_a_sentence_that_introduces_a_table_is_text_and_no_heading(index, make_chunk):
    introduced = make_chunk("a", caption="The dagger", introduced=True, cells=("x",), row_key="x")
    plain = make_chunk("b", kind="prose", text="The dagger x")
    titled = make_chunk("c", caption="The dagger", cells=("x",), row_key="x")
    table = dict(index(introduced, plain, titled).search("dagger", 3))
    assert set(table) == {0, 1, 2}
    assert table[2] > table[0]


def test_words_meet_their_stems(index, make_chunk):
    assert search_positions(index(row(make_chunk, "a", "daggers")), "a dagger?") == [0]


def test_equal_scores_come_by_id(index, make_chunk):
    twins = [row(make_chunk, name, "dagger") for name in "cab"]
    hits = index(*twins).search("dagger", 5)
    assert len({score for _, score in hits}) == 1
    assert [twins[position].id for position, _ in hits] == ["a", "b", "c"]


def test_the_better_score_is_the_higher_one(index, make_chunk):
    chunks = [row(make_chunk, "a", "mace", cells=("mace", "dagger")), row(make_chunk, "b", "dagger")]
    (first, best), (second, worse) = index(*chunks).search("dagger", 2)
    assert (first, second) == (1, 0)
    assert best > worse


def test_a_filter_leaves_k_of_those_that_pass(index, make_chunk):
    table = index(*(row(make_chunk, str(number), "dagger") for number in range(9)))
    passing = np.array([number % 2 == 1 for number in range(9)])
    assert search_positions(table, "dagger", 3, passing) == [1, 3, 5]


class _Bare:
    """A SQLite that was compiled without FTS5."""

    def execute(self, statement):
        raise sqlite3.OperationalError("no such module: fts5")

    def close(self):
        pass


def test_without_fts5_the_reason_is_said_and_the_index_refused(monkeypatch, make_chunk):
    assert why_missing() is None
    monkeypatch.setattr(fts5.sqlite3, "connect", lambda _: _Bare())
    assert "has no FTS5 (no such module: fts5)" in why_missing()
    with pytest.raises(MissingFts5Error, match="leave the strategy 'fts5' out"):
        Fts5Index([])


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
    result = retriever.retrieve("what damage does the dagger do?", 15, REFERENCE)
    assert result.strategy == "fts5"
    assert result.hits[0].chunk.row_key == "Dagger"
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert result.receipt.canonical == '"damage" OR "dagger"'


def test_a_filter_holds_for_it(retriever) -> None:
    result = retriever.retrieve("dagger", 15, REFERENCE, where=Eq("kind", "prose"))
    assert [hit.chunk.kind for hit in result.hits] == ["prose"]


def test_other_strategies_are_answered_as_before(retriever) -> None:
    result = retriever.retrieve("dagger damage", 3, STRATEGIES["default"])
    assert (result.strategy, result.hits[0].chunk.row_key) == ("default", "Dagger")


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
        result = within.ask(within.questions[0], 15, REFERENCE)
        assert {hit.chunk.document for hit in result.hits} == {"t1.md"}
        assert within.judge(within.questions[0], result.chunk_ids).ranks == (1,)
