import json
from pathlib import Path

import pytest

from evals.questions.questions import Anchor, Question
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy
from tools.corpora.books import BenchmarkDataError, read_books
from tools.corpora.tables import TablesCorpus, WithinTable, read_tables, rows_at

BM25 = Strategy("bm25", lexical_weight=1.0)


@pytest.fixture
def corpus(tables_folder: Path) -> TablesCorpus:
    (result,) = read_tables("some-rows", tables_folder, "open")
    return result


def test_gold_is_the_chunk_of_the_source_row(corpus: TablesCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        together, within = corpus.question_sets(retriever, chunks)
        cells = {chunk.id: chunk.cells for chunk in chunks}
        gold = {question.id: [cells[each] for each in together.gold(question)] for question in together.questions}
    assert gold == {
        "q1": [("Elbe", "1094", "Germany")],
        "q2": [("Bled", "145"), ("Como", "146")],
        "q3": [("Oder", "840", "Poland")],
    }
    assert (together.name, within.name) == ("some-rows", "some-rows-within")
    assert together.resolution == within.resolution
    assert together.resolution.evaluability == 1.0


def test_kinds_and_answers_are_those_of_the_format(corpus: TablesCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        questions = corpus.question_sets(retriever, chunks)[0].questions
    assert [question.kind for question in questions] == ["one-condition", "lookup-agg", "all-rows-named"]
    assert questions[1].answer == "Bled, Como"


def test_within_the_table_only_its_rows_come_back(corpus: TablesCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        _, within = corpus.question_sets(retriever, chunks)
        assert within.ask is not None
        everywhere = retriever.retrieve("How long is the Elbe?", 15, BM25)
        result = within.ask(within.questions[0], 15, BM25)
    assert {hit.chunk.document for hit in everywhere.hits} == {"t1.md", "t2.md"}
    assert [(hit.chunk.row_key, hit.rank) for hit in result.hits] == [("Elbe", 1), ("Oder", 2)]


def test_a_row_that_no_chunk_was_made_of_is_stale(make_chunk) -> None:
    question = Question("q", "ask", gold=(Anchor(document="d.md", line=1), Anchor(document="d.md", line=9)))
    resolution = rows_at([question], [make_chunk("g"), make_chunk("p", kind="prose", lines=(9, 9))])
    assert dict(resolution.gold) == {}
    assert [str(finding) for finding in resolution.stale] == ["q: d.md line 9 is in no row of its own"]
    assert resolution.evaluability == 0.0


def test_a_line_of_two_rows_makes_both_gold_and_says_so(make_chunk) -> None:
    resolution = rows_at(
        [Question("q", "ask", gold=(Anchor(document="d.md", line=1),))], [make_chunk("a"), make_chunk("b")]
    )
    assert resolution.gold["q"] == ("a", "b")
    assert len(resolution.ambiguous) == 1


@pytest.mark.parametrize("rows", [[3], [-1], []])
def test_gold_rows_that_are_not_in_the_table_are_refused(tables_folder: Path, lines, opened, rows: list[int]) -> None:
    query = {"id": "q", "query": "x", "table_id": "t2", "gold_rows": rows, "conds": [{}]}
    lines(tables_folder / "open.queries.jsonl.gz", [query])
    (corpus,) = read_tables("some-rows", tables_folder, "open")
    with opened(corpus) as (retriever, chunks), pytest.raises(BenchmarkDataError, match=r"queries\.jsonl\.gz:1"):
        corpus.question_sets(retriever, chunks)


def test_a_missing_split_is_named(tables_folder: Path) -> None:
    with pytest.raises(BenchmarkDataError, match=r"has no held\.tables\.jsonl or"):
        read_tables("some-rows", tables_folder, "held")


def test_the_cell_under_the_column_that_is_asked_for_is_the_answer(tmp_path: Path, opened) -> None:
    table = {
        "table_id": "t",
        "columns": ["ship", "port"],
        "markdown": "| ship | port |\n|---|---|\n| a\\|b | Genoa |\n",
    }
    query = {"query": "which port", "table_id": "t", "gold_rows": [0], "conds": [{}], "select": "port", "agg": None}
    others = (query | {"id": "counted", "agg": "COUNT"}, query | {"id": "given", "answer": ["x", "y"]})
    (tmp_path / "open.tables.jsonl").write_text(json.dumps(table))
    (tmp_path / "open.queries.jsonl").write_text("\n".join(map(json.dumps, (query | {"id": "one"}, *others))))
    (result,) = read_tables("rows", tmp_path, "open")
    with opened(result) as (retriever, chunks):
        questions = result.question_sets(retriever, chunks)[0].questions
    assert {question.id: question.answer for question in questions} == {
        "one": "Genoa",
        "counted": None,
        "given": "x, y",
    }


MATRIX = (
    "# Combat\n\n**Cleric attack matrix**\n\n| Opponent Armor Class | 1-3 | 4-6 | 7-9 |\n|---|---|---|---|\n"
    + "".join(
        f"| {armor_class} | {20 - armor_class} | {18 - armor_class} | {16 - armor_class} |\n"
        for armor_class in range(10, -11, -1)
    )
)
QUESTION = Question("q", "What does a cleric need to hit AC 6?", gold=(Anchor(document="01.md"),))
DENSE = STRATEGIES["dense"]


@pytest.fixture
def within(tmp_path: Path, lines, opened):
    (tmp_path / "set" / "book").mkdir(parents=True)
    (tmp_path / "set" / "book" / "01.md").write_text(MATRIX)
    lines(tmp_path / "set" / "book.open.jsonl", [{"id": "q", "query": "x", "gold": []}])
    (corpus,) = read_books(tmp_path / "set", "open")
    with opened(corpus) as (retriever, chunks):
        assert sum(chunk.query_must is not None for chunk in chunks) == 21
        yield WithinTable(retriever)


def test_without_a_filter_every_row_is_ranked(within: WithinTable) -> None:
    assert len(within.ask(QUESTION, 100, DENSE).hits) == 21
    assert len(within.ask(QUESTION, 15, DENSE).hits) == 15


@pytest.mark.parametrize("name", ["prefilter", "default"])
def test_query_must_leaves_the_row_that_was_named(within: WithinTable, name: str) -> None:
    result = within.ask(QUESTION, 15, STRATEGIES[name])
    assert [hit.chunk.row_key for hit in result.hits] == ["6"]


def test_rounds_see_no_more_rows_than_rounds_times_k(within: WithinTable) -> None:
    order = [hit.chunk.row_key for hit in within.ask(QUESTION, 21, DENSE).hits]
    position = order.index("6") + 1
    for rounds in range(1, 22):
        iterative = Strategy("i", dense_weight=1.0, query_must="iterative", max_iterations=rounds)
        result = within.ask(QUESTION, 1, iterative)
        assert len(result.hits) == (rounds >= position)


def test_scores_are_those_of_the_whole_index(within: WithinTable) -> None:
    for name in ("bm25", "hybrid"):
        result = within.ask(QUESTION, 21, STRATEGIES[name])
        whole = within._retriever.retrieve(QUESTION.query, 21, STRATEGIES[name])
        scores = {hit.chunk.id: hit.score for hit in whole.hits}
        assert [scores[hit.chunk.id] for hit in result.hits] == [hit.score for hit in result.hits]
