from dataclasses import replace
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG

from evals.experiment import run_experiment
from retrieval.search.rerank.features import NAMES
from retrieval.strategy import Strategy
from tools.corpora.books import BenchmarkDataError
from tools.corpora.passages import PassagesCorpus, graded_ndcg, read_passages, with_graded_ndcg
from tools.fit.trees import examples_of

BM25 = Strategy("bm25", lexical_weight=1.0)
TEXTS = ["wing flow", "flow of heat", "heat in a wing", "flow flow flow", ""]


@pytest.fixture
def folder(tmp_path: Path, lines) -> Path:
    root = tmp_path / "passages"
    corpus = [{"_id": str(number), "title": f"Title {number}", "text": text} for number, text in enumerate(TEXTS)]
    lines(root / "tiny.corpus.jsonl.gz", corpus)
    lines(root / "other.corpus.jsonl.gz", corpus)
    queries = [
        {"query_id": "a", "query": "flow", "qrels": {"0": 1, "1": 1}, "graded": {"0": 1, "1": 4}, "unexplained": ["3"]},
        {"query_id": "b", "query": "heat", "qrels": {"2": 1}},
    ]
    lines(root / "tiny.open.jsonl.gz", queries)
    return root


@pytest.fixture
def corpus(folder: Path) -> PassagesCorpus:
    (result,) = read_passages("passages", folder, "open")
    return result


def test_a_passage_is_one_chunk_with_its_own_id(corpus: PassagesCorpus, opened) -> None:
    with opened(corpus) as (_, chunks):
        assert [(chunk.id, chunk.search_text) for chunk in chunks][:2] == [
            ("0", "Title 0\nwing flow"),
            ("1", "Title 1\nflow of heat"),
        ]
        assert len(chunks) == len(TEXTS)


def test_unexplained_passages_leave_the_ranking_and_the_next_move_up(corpus: PassagesCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
        assert questions.ask is not None
        raw = retriever.retrieve("flow", 3, BM25)
        result = questions.ask(questions.questions[0], 2, BM25)
    assert raw.chunk_ids[0] == "3"
    assert result.chunk_ids == raw.chunk_ids[1:]
    assert [hit.rank for hit in result.hits] == [1, 2]


def test_unexplained_passages_are_no_candidates_of_a_fit(corpus: PassagesCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
        dropped, *_ = examples_of(retriever, questions, NAMES)
        whole, *_ = examples_of(retriever, replace(questions, unexplained={}), NAMES)
    assert len(dropped.values) == len(whole.values) - 1
    assert dropped.gold.sum() == whole.gold.sum() == 2


def test_graded_queries_get_one_more_value(corpus: PassagesCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        sets = corpus.question_sets(retriever, chunks)
        experiment = run_experiment(retriever, [BM25], sets, chunks, snapshot="s")
    first, second = with_graded_ndcg(corpus, experiment.rows)
    assert first.values["graded_ndcg@10"] == graded_ndcg(first.chunk_ids, {"0": 1, "1": 4})
    assert second == experiment.rows[1]


@given(
    grades=st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.integers(1, 4), min_size=1),
    ranking=st.permutations("abcdefghijklmnop"),
)
def test_graded_ndcg_is_trec_evals(grades: dict[str, int], ranking: list[str]) -> None:
    run = {"q": {name: float(-rank) for rank, name in enumerate(ranking)}}
    (theirs,) = [each.value for each in ir_measures.iter_calc([nDCG @ 10], {"q": grades}, run)]
    assert graded_ndcg(ranking, grades) == pytest.approx(theirs)


def test_a_judged_passage_that_is_not_there_is_stale(folder: Path, lines, opened) -> None:
    queries = [
        {"query_id": "a", "query": "flow", "qrels": {"99": 1}},
        {"query_id": "b", "query": "heat", "qrels": {"2": 1}},
    ]
    lines(folder / "tiny.open.jsonl.gz", queries)
    (corpus,) = read_passages("passages", folder, "open")
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
    assert [finding.question_id for finding in questions.resolution.stale] == ["a"]
    assert [question.id for question in questions.scored] == ["b"]


def test_a_split_that_no_collection_has_is_refused(folder: Path) -> None:
    with pytest.raises(BenchmarkDataError, match=r"no <collection>\.held\.jsonl\.gz; collections: other, tiny"):
        read_passages("passages", folder, "held")
