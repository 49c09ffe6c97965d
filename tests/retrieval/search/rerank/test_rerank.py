from dataclasses import replace

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.search.context_rows import CONTEXT_ROW
from retrieval.search.evidence import WEIGHTS, Cosines, gather
from retrieval.search.explanation import explain
from retrieval.search.fusion import best
from retrieval.search.metadata_filter import Eq
from retrieval.search.query import Query
from retrieval.search.rerank.features import NAMES
from retrieval.search.rerank.rerank import (
    BEST,
    FIRST_LOOK,
    LEXICAL,
    START,
    TREES_FILE,
    SecondLook,
    group_of,
    pool,
)
from retrieval.search.rerank.trees import Trees
from retrieval.search.strategies import strategy
from retrieval.strategy import GraphBoost
from tests.retrieval.search.rerank.conftest import random_trees

QUESTIONS = [
    "what does a level 5 fighter need against poison",
    "price of a long sword",
    "a song at the inn by the fire",
    "zzyzx",
]
DEFAULT, FIRST = strategy("default"), replace(strategy("default"), second_look=False)

pytestmark = pytest.mark.usefixtures("trees")


@pytest.fixture
def candidate_ids(snapshot, retriever):
    """Ids of the candidates of a question."""

    def of(text):
        question = Query.ask(text, snapshot.vocabulary)
        lexical = snapshot.lexical.scores(text)
        dense = Cosines(snapshot.vectors, retriever.embedder.embed_query(text))
        allowed = ~snapshot.predicates.guarded
        allowed[retriever.admitted(question).guarded] = True
        total = gather(snapshot, question, lexical, dense).total(WEIGHTS)
        return {snapshot.chunks[int(position)].id for position in pool(total, lexical, allowed)}

    return of


@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_come_before_all_others_which_keep_their_order(retriever, candidate_ids, question):
    ids = candidate_ids(question)
    chunk_ids = retriever.retrieve(question, k=1000).chunk_ids
    first = retriever.retrieve(question, k=1000, strategy=FIRST).chunk_ids

    assert len(ids) < len(chunk_ids)
    assert set(chunk_ids[: len(ids)]) == ids
    assert chunk_ids[len(ids) :] == tuple(name for name in first if name not in ids)


@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_are_in_the_order_of_the_trees(retriever, candidate_ids, trees, question):
    hits = retriever.retrieve(question, k=len(candidate_ids(question))).hits
    scores = [hit.score for hit in hits]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1
    largest = float(np.abs(trees.value).max()) * len(trees.roots)
    assert max(map(abs, scores)) <= largest


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("k", [1, 5, 1000])
def test_the_parts_of_every_hit_sum_up_to_its_score(retriever, candidate_ids, question, k):
    ids = candidate_ids(question)
    for hit in retriever.retrieve(question, k=k).hits:
        parts = {addend.name: addend.contribution for addend in hit.addends}
        assert sum(parts.values()) == pytest.approx(hit.score, abs=1e-9), hit.chunk.id
        if hit.chunk.id not in ids:
            assert {name for name, value in parts.items() if value} <= {FIRST_LOOK}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_order_does_not_depend_on_how_many_are_wanted(retriever, question):
    every = retriever.retrieve(question, k=1000).chunk_ids
    for k in (1, 5, 99, 101, 140, 160, 200):
        assert retriever.retrieve(question, k=k).chunk_ids == every[:k]


def test_the_scores_of_candidates_do_not_depend_on_how_many_are_wanted(retriever):
    few = retriever.retrieve(QUESTIONS[0], k=5).hits
    many = retriever.retrieve(QUESTIONS[0], k=200).hits[:5]

    def shown(hit):
        return hit.score, [addend for addend in hit.addends if addend.name not in (FIRST_LOOK, CONTEXT_ROW)]

    assert list(map(shown, few)) == list(map(shown, many))


def test_the_second_look_changes_the_order(retriever):
    assert any(
        retriever.retrieve(question, 20).chunk_ids != retriever.retrieve(question, 20, FIRST).chunk_ids
        for question in QUESTIONS
    )


def test_without_it_the_order_is_that_of_the_evidence(retriever, snapshot):
    for question in QUESTIONS:
        query = Query.ask(question, snapshot.vocabulary)
        dense = Cosines(snapshot.vectors, retriever.embedder.embed_query(question))
        scores = gather(snapshot, query, snapshot.lexical.scores(question), dense).total(WEIGHTS)
        allowed = ~snapshot.predicates.guarded
        allowed[retriever.admitted(query).guarded] = True
        expected = [snapshot.chunks[int(position)].id for position in best(scores, 50, allowed)]

        assert list(retriever.retrieve(question, 50, FIRST).chunk_ids) == expected
    assert not FIRST.second_look
    assert replace(FIRST, name="default", second_look=True) == DEFAULT


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
    told = set()
    for k in (1, 20, 60, 120, 200):
        few = retriever.retrieve(question, k)
        kept_out = {decision.chunk_id for decision in few.receipt.decisions if not decision.kept}
        unfiltered = retriever.retrieve(question, k, replace(FIRST, query_must="off")).chunk_ids
        assert kept_out == {name for name in unfiltered if name.startswith(("cleric", "thief"))}, k
        assert few.receipt.excluded == len(kept_out)
        told |= kept_out
    assert len(told) == 8


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


def test_candidates_are_the_best_of_both_looks_among_the_allowed():
    scores, lexical = np.arange(400.0), -np.arange(400.0)
    allowed = np.ones(400, dtype=bool)
    allowed[[0, 399]] = False

    assert pool(scores, lexical, None).tolist() == [*range(LEXICAL), *range(400 - BEST, 400)]
    assert pool(scores, lexical, allowed).tolist() == [*range(1, LEXICAL + 1), *range(399 - BEST, 399)]
    assert pool(scores, lexical, np.zeros(400, dtype=bool)).tolist() == []


def test_without_candidates_the_scores_stay():
    scores = np.asarray([3.0, 1.0])

    assert SecondLook.nowhere().is_empty
    assert SecondLook.nowhere().over(scores) is scores


def test_the_worst_candidate_is_before_the_best_of_the_others():
    look = SecondLook(np.asarray([1, 2]), np.asarray([-9.0, -3.0]), np.zeros((2, 1), dtype=np.float32))
    scores = look.over(np.asarray([100.0, 0.0, 0.0, 50.0]))

    assert np.argsort(-scores).tolist() == [2, 1, 0, 3]


def test_the_parts_are_the_start_the_groups_and_the_first_look(retriever):
    names = [addend.name for addend in retriever.retrieve(QUESTIONS[1], k=1000).hits[0].addends]

    assert names[0] == START
    assert names[-1] == FIRST_LOOK
    assert {group_of(name) for name in NAMES} == set(names[1:-1])


@pytest.mark.parametrize("chosen", [strategy("default-query_must"), replace(DEFAULT, graph=GraphBoost(boost=0.1))])
def test_the_second_look_goes_with_every_other_stage(retriever, snapshot, chosen):
    for question in QUESTIONS:
        every = retriever.retrieve(question, 1000, chosen)
        assert len(set(every.chunk_ids)) == len(every.hits)
        if chosen.query_must == "off":
            assert len(every.hits) == len(snapshot)
        for k in (5, 120):
            assert retriever.retrieve(question, k, chosen).chunk_ids == every.chunk_ids[:k]
        for hit in every.hits:
            parts = [addend.contribution for addend in hit.addends]
            assert sum(parts) == pytest.approx(hit.score, abs=1e-9), hit.chunk.id


def test_a_filter_of_the_caller_chooses_the_candidates(retriever):
    where = Eq("book", "gear")
    question = "price of a long sword for a cleric"
    result = retriever.retrieve(question, 1000, where=where)

    assert {hit.chunk.table_id for hit in result.hits} == {"gear"}
    assert not any(addend.name == FIRST_LOOK for hit in result.hits for addend in hit.addends)
    assert result.chunk_ids[:2] == retriever.retrieve(question, 2, where=where).chunk_ids


def test_the_trees_that_ship_ask_features_that_are_measured():
    shipped = Trees.read(TREES_FILE)

    assert set(shipped.names) <= set(NAMES)
    assert len(shipped.roots) > 0
    assert np.isfinite(shipped.value).all()


def placed(hits):
    """Hits without how much of the score of a companion that is no candidate is its first look: only where every chunk
    is scored does it have one."""
    for hit in hits:
        assert sum(addend.contribution for addend in hit.addends) == pytest.approx(hit.score, abs=1e-9)
        yield replace(
            hit, addends=tuple(addend for addend in hit.addends if addend.name not in (FIRST_LOOK, CONTEXT_ROW))
        )


@pytest.mark.parametrize("where", [None, Eq("book", "gear")])
@pytest.mark.parametrize("question", [*QUESTIONS, "level 5 of a fighter against poison or a breath weapon"])
def test_an_exhaustive_search_finds_the_same(retriever, question, where):
    for k in (1, 15, 60, 120, 1000):
        for short in (DEFAULT, FIRST, replace(DEFAULT, query_must="off")):
            result = retriever.retrieve(question, k, short, where=where)
            whole = retriever.retrieve(question, k, replace(short, exhaustive=True), where=where)

            assert list(placed(result.hits)) == list(placed(whole.hits))
            assert result.receipt.decisions == whole.receipt.decisions
