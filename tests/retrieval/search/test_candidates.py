from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.candidates import ROWS, TABLES, Candidates, rows_of_best_tables
from retrieval.search.fusion import Positions, Scores
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever

WORDS = ["cleric", "thieves", "AC 6", "armor class -2", "level", "dragon", "weapons", "dagger", "1d6", "the", "xyz"]
QUESTION = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)


def of(retriever: Retriever, text: str, positions: Positions, strongest: float | None = None) -> Candidates:
    query = Query.ask(text, retriever.snapshot.vocabulary)
    return Candidates.of(retriever.snapshot, query, retriever.vector_of(text), positions, strongest)


def everything(retriever: Retriever, text: str) -> Candidates:
    return of(retriever, text, np.arange(len(retriever.snapshot)))


def every_part(found: Candidates) -> Mapping[str, Scores]:
    return found.at(found.positions)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTION)
def test_every_part_lies_between_0_and_1(retriever: Retriever, text: str) -> None:
    parts = dict(every_part(everything(retriever, text)))
    cosines = parts.pop("table_dense")
    assert (np.abs(cosines) <= 1.001).all()
    for name, values in parts.items():
        assert values.min() >= 0, name
        assert values.max() <= 1.001, name


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTION, st.integers(0, 1000))
def test_what_speaks_for_a_chunk_does_not_depend_on_which_others_are_measured(retriever, text, seed):
    whole, random = everything(retriever, text), np.random.default_rng(seed)
    some = np.sort(random.choice(len(retriever.snapshot), 30, replace=False))
    expected, measured = whole.at(some), every_part(of(retriever, text, some, whole.strongest))
    for name in ("lexical", "dense", "name", "heading", "table_dense"):
        assert measured[name].tolist() == expected[name].tolist(), name


def test_a_row_that_is_named_is_told_from_one_that_is_not(retriever: Retriever, snapshot: Snapshot) -> None:
    dagger, mace = snapshot.chunks.positions(["weapon-1", "weapon-0"]).tolist()
    found = everything(retriever, "what damage does a dagger do")

    assert found.name[dagger] > 0 == found.name[mace]
    assert found.is_row[[dagger, mace]].all()
    assert found.table_of[dagger] == found.table_of[mace]


def test_nothing_is_called_by_a_question_without_a_known_word(retriever: Retriever) -> None:
    found = everything(retriever, "zzyzx")
    assert not found.lexical.any()
    assert not found.name.any()
    assert not found.heading.any()


@pytest.mark.parametrize("text", ["damage of a dagger", "level 5 cleric against AC 6", "zzyzx"])
def test_the_best_tables_give_few_rows_each_that_may_come_back(retriever, snapshot, text):
    query, vector = Query.ask(text, snapshot.vocabulary), retriever.vector_of(text)
    allowed = np.ones(len(snapshot), dtype=np.bool_)
    nothing = np.zeros(0, dtype=np.int64)
    rows = rows_of_best_tables(snapshot, query, vector, nothing, allowed)
    owners, counts = np.unique(snapshot.chunk_tables.of[rows], return_counts=True)

    assert rows.tolist() == sorted(set(rows.tolist()))
    assert len(owners) <= TABLES
    assert counts.max() <= ROWS
    allowed[rows[::2]] = False
    assert not set(rows_of_best_tables(snapshot, query, vector, nothing, allowed).tolist()) & set(rows[::2].tolist())
    assert not len(rows_of_best_tables(snapshot, query, vector, nothing, np.zeros(len(snapshot), dtype=np.bool_)))
