from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.collapse import COLLAPSED, collapse, may_fall, outdone
from retrieval.search.first_stage import AllowedChunks
from retrieval.search.query import Query
from retrieval.search.ranking import Search, candidates
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.types import ROWS_BEHIND

DEFAULT = strategy("default")
SCORES = st.lists(st.floats(-20, 20), min_size=1, max_size=30)


@given(SCORES, st.integers(0, 1000), st.floats(0.5, 10))
def test_what_is_near_the_best_of_its_table_stays_and_the_more_rows_are_better_the_nearer_it_must_be(
    values: list[float], seed: int, margin: float
) -> None:
    scores, random = np.asarray(values), np.random.default_rng(seed)
    tables, able = random.integers(0, 4, len(values)), random.random(len(values)) < 0.7
    fallen = outdone(scores, tables, able, margin)

    for table in set(tables.tolist()):
        rows = np.flatnonzero(tables == table)
        for row in rows:
            better = int((scores[rows] > scores[row]).sum())
            share = [1, 1, 5 / 6, 4 / 6, 3 / 6][better] if better < 5 else 2 / 6
            gap = max(scores[rows]) - values[row]
            if abs(gap - share * margin) > 1e-9:
                assert fallen[row] == (able[row] and gap > share * margin)


def search_of(retriever: Retriever, text: str) -> Search:
    question = Query.of(text, retriever.snapshot)
    return Search(retriever.snapshot, question, retriever.vector_of(text), DEFAULT, AllowedChunks())


def test_what_falls_keeps_its_order_below_all_others(retriever: Retriever) -> None:
    search = search_of(retriever, "what damage does a dagger do")
    pool = candidates(search)
    scores = np.random.default_rng(3).normal(0, 5, len(pool.positions))
    result = collapse(pool, search.question, scores, 2.0)
    stay = ~result.outdone

    assert result.outdone.any()
    assert stay.any()
    assert result.scores[stay].tolist() == scores[stay].tolist()
    assert result.scores[result.outdone].max() < result.scores[stay].min()
    assert np.argsort(result.scores[result.outdone]).tolist() == np.argsort(scores[result.outdone]).tolist()
    leg = result.leg(pool.positions)
    assert (scores + leg.scores).tolist() == pytest.approx(result.scores.tolist())


def test_a_named_row_and_prose_never_fall_nor_does_any_row_of_a_question_that_wants_several(retriever):
    one = search_of(retriever, "what damage does a dagger do")
    pool = candidates(one)
    able = may_fall(pool, one.question)

    assert not able[pool.name > 0].any()
    assert not able[~pool.is_row].any()
    assert able.any()
    for text in ("dagger or mace", "which does more damage than a mace"):
        several = search_of(retriever, text)
        assert not may_fall(candidates(several), several.question).any(), text


def test_hits_say_what_moved_them_and_every_chunk_still_comes_back(retriever: Retriever) -> None:
    narrow = replace(DEFAULT, query_must="off", collapse=0.5)
    text = "what damage does a dagger do"
    plain = retriever.retrieve(text, 1000, replace(narrow, collapse=None))
    moved = retriever.retrieve(text, 1000, narrow)

    assert sorted(moved.chunk_ids) == sorted(plain.chunk_ids)
    assert moved.hits[0].chunk.id == plain.hits[0].chunk.id
    fallen = [hit for hit in moved.hits for addend in hit.addends if addend.name == COLLAPSED and addend.contribution]
    assert fallen
    assert all(hit.chunk.kind == "row" for hit in fallen)
    told = {hit.chunk.table_id: hit.evidence[ROWS_BEHIND] for hit in moved.hits if hit.evidence[ROWS_BEHIND]}
    assert told == Counter(hit.chunk.table_id for hit in fallen)
    assert moved.hits[0].evidence[ROWS_BEHIND] == told[moved.hits[0].chunk.table_id]
    for hit in moved.hits:
        assert sum(addend.contribution for addend in hit.addends) == pytest.approx(hit.score, abs=1e-9)
