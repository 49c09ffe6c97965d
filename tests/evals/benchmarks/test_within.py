from pathlib import Path

import pytest

from evals.benchmarks.books import read_books
from evals.benchmarks.within import WithinTable
from evals.questions.anchors import Anchor
from evals.questions.questions import Question
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy

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
    found = within.ask(QUESTION, 15, STRATEGIES[name])
    assert [hit.chunk.row_key for hit in found.hits] == ["6"]


def test_rounds_see_no_more_rows_than_rounds_times_k(within: WithinTable) -> None:
    order = [hit.chunk.row_key for hit in within.ask(QUESTION, 21, DENSE).hits]
    place = order.index("6") + 1
    for rounds in range(1, 22):
        iterative = Strategy("i", dense_weight=1.0, query_must="iterative", max_iterations=rounds)
        found = within.ask(QUESTION, 1, iterative)
        assert len(found.hits) == (rounds >= place)


def test_scores_are_those_of_the_whole_index(within: WithinTable) -> None:
    for name in ("bm25", "hybrid"):
        found = within.ask(QUESTION, 21, STRATEGIES[name])
        whole = within._retriever.retrieve(QUESTION.query, 21, STRATEGIES[name])
        scores = {hit.chunk.id: hit.score for hit in whole.hits}
        assert [scores[hit.chunk.id] for hit in found.hits] == [hit.score for hit in found.hits]
