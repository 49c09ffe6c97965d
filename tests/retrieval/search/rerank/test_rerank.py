from dataclasses import replace

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.search.candidates import Candidates
from retrieval.search.context_rows import CONTEXT_ROW, NEAREST_PROSE
from retrieval.search.explanation import explain
from retrieval.search.first_stage import AllowedChunks
from retrieval.search.fusion import best
from retrieval.search.metadata_filter import Eq
from retrieval.search.query import Query
from retrieval.search.ranking import Search, candidates
from retrieval.search.rerank.features import NAMES
from retrieval.search.rerank.rerank import NO_CANDIDATE, TREES_FILE, group_of
from retrieval.search.rerank.trees import Trees
from retrieval.search.strategies import strategy
from tests.retrieval.search.rerank.conftest import random_trees

QUESTIONS = [
    "what does a level 5 fighter need against poison",
    "price of a long sword",
    "a song at the inn by the fire",
    "zzyzx",
]
DEFAULT = strategy("default")

pytestmark = pytest.mark.usefixtures("trees")


@pytest.fixture
def pool(snapshot, retriever):
    """The candidates of a question."""

    def of(text):
        question = Query.of(text, snapshot).among(snapshot.rivals)
        passing = AllowedChunks(retriever.admitted(question))
        search = Search(snapshot, question, retriever.vector_of(text), DEFAULT, passing)
        return candidates(search)

    return of


@pytest.fixture
def candidate_ids(snapshot, pool):
    """Their ids."""
    return lambda text: {snapshot.chunks[int(position)].id for position in pool(text).positions}


@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_come_before_all_others_which_are_in_the_order_of_first_sight(
    retriever, snapshot, pool, candidate_ids, question
):
    ids = candidate_ids(question)
    chunk_ids = retriever.retrieve(question, k=1000).chunk_ids

    assert len(ids) < len(chunk_ids)
    assert set(chunk_ids[: len(ids)]) == ids
    rest = np.sort(snapshot.chunks.positions(list(chunk_ids[len(ids) :])))
    others = Candidates.of(
        snapshot, Query.of(question, snapshot), retriever.vector_of(question), rest, pool(question).strongest
    )
    expected = [snapshot.chunks[int(position)].id for position in rest[best(others.first, len(rest))]]
    assert list(chunk_ids[len(ids) :]) == expected


@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_are_in_the_order_of_the_trees(retriever, candidate_ids, trees, question):
    hits = retriever.retrieve(question, k=len(candidate_ids(question))).hits
    scores = [hit.score for hit in hits]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1
    largest = float(np.abs(trees.value).max()) * len(trees.roots)
    assert max(map(abs, scores)) <= largest


def test_the_scores_of_candidates_do_not_depend_on_how_many_are_wanted(retriever):
    few = retriever.retrieve(QUESTIONS[0], k=5).hits
    many = retriever.retrieve(QUESTIONS[0], k=200).hits[:5]

    def shown(hit):
        moves = (NO_CANDIDATE, CONTEXT_ROW, NEAREST_PROSE)
        return hit.score, [addend for addend in hit.addends if addend.name not in moves]

    assert list(map(shown, few)) == list(map(shown, many))


def test_a_strategy_may_bring_trees_of_its_own(retriever, trees, tmp_path):
    others = random_trees(NAMES, seed=8)
    (tmp_path / "others.json").write_text(others.written)
    own = retriever.retrieve(QUESTIONS[0], 20)
    other = retriever.retrieve(QUESTIONS[0], 20, replace(DEFAULT, trees=str(tmp_path / "others.json")))

    assert own.hits[0].addends[0].value == pytest.approx(trees.start)
    assert other.hits[0].addends[0].value == pytest.approx(others.start)
    assert other.chunk_ids != own.chunk_ids
    with pytest.raises(IndexCorruptError, match="holds no trees"):
        retriever.retrieve(QUESTIONS[0], 20, replace(DEFAULT, trees=str(tmp_path / "missing.json")))


def test_what_a_predicate_excludes_never_comes_back_and_is_told(retriever):
    question = "level 5 of a fighter against poison or a breath weapon"
    result = retriever.retrieve(question, k=1000)
    ids = set(result.chunk_ids)

    assert {name for name in ids if "saves" in name} == {
        f"fighter-saves-{level}" for level in ("1-3", "4-6", "7-9", "10+")
    }
    told = [decision.chunk_id for decision in result.receipt.decisions if not decision.kept]
    assert told
    assert all(name.startswith(("cleric", "thief")) for name in told)
    assert result.receipt.excluded == len(told)
    for k in (1, 20, 60):
        few = retriever.retrieve(question, k)
        kept_out = [decision.chunk_id for decision in few.receipt.decisions if not decision.kept]
        assert kept_out == told[: len(kept_out)], k


def test_an_explanation_says_the_rank_and_score_of_the_search(retriever):
    for hit in retriever.retrieve(QUESTIONS[0], k=200).hits[::40]:
        told = explain(retriever, QUESTIONS[0], hit.chunk.id)

        assert (told.rank, told.score) == (hit.rank, pytest.approx(hit.score))
        assert sum(addend.contribution for addend in told.addends) == pytest.approx(told.score)


def test_every_feature_is_shown_in_a_part():
    for name in NAMES:
        assert group_of(name), name
    assert (group_of("number_key"), group_of("behind_number_labelled")) == ("numbers", "numbers")
    assert (group_of("less_dense"), group_of("less_table_dense")) == ("dense", "tables")
    assert (group_of("less_covered"), group_of("less_covered_key_head")) == ("words", "heads")


def test_without_the_filter_every_chunk_comes_back_once_and_in_one_order(retriever, snapshot):
    chosen = strategy("default-query_must")
    for question in QUESTIONS:
        every = retriever.retrieve(question, 1000, chosen)
        assert len(set(every.chunk_ids)) == len(every.hits) == len(snapshot)
        for k in (5, 120):
            assert retriever.retrieve(question, k, chosen).chunk_ids == every.chunk_ids[:k]


def test_a_filter_of_the_caller_chooses_the_candidates(retriever):
    where = Eq("book", "gear")
    question = "price of a long sword for a cleric"
    result = retriever.retrieve(question, 1000, where=where)

    assert {hit.chunk.table_id for hit in result.hits} == {"gear"}
    assert not any(addend.name == NO_CANDIDATE for hit in result.hits for addend in hit.addends)
    assert result.chunk_ids[:2] == retriever.retrieve(question, 2, where=where).chunk_ids


def test_the_trees_that_ship_ask_features_that_are_measured():
    shipped = Trees.read(TREES_FILE)

    assert set(shipped.names) <= set(NAMES)
    assert len(shipped.roots) > 0
    assert np.isfinite(shipped.value).all()
