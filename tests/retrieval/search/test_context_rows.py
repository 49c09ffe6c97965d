from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.home import Home
from retrieval.index.graph_building import build_graph
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.candidates import Candidates
from retrieval.search.context_rows import (
    AHEAD,
    CLEAR,
    CONTENDERS,
    CONTEXT_ROW,
    NEAREST_PROSE,
    contenders,
    context_rows,
    placed,
)
from retrieval.search.ranking import _nearest_prose
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.types import Chunk
from tests.chunks import EMPTY

LIBRARY: dict[str, Chunk] = {
    "far": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=1),
    "lead": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=2, source="add strength"),
    "ac 5": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=3, kind="row", table_id="attacks"),
    "ac 6": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=4, kind="row", table_id="attacks"),
    "legend": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=5, text="See Turning."),
    "combat": replace(EMPTY, heading_path=("Book", "Combat"), position=0),
    "turning": replace(EMPTY, heading_path=("Book", "Turning"), position=6),
    "strong": replace(EMPTY, heading_path=("Book", "Strength"), position=7),
    "str 3": replace(EMPTY, heading_path=("Book", "Strength"), position=8, kind="row", table_id="strength"),
    "str 4": replace(EMPTY, heading_path=("Book", "Strength"), position=9, kind="row", table_id="strength"),
    "book": replace(EMPTY, heading_path=("Book",), position=10),
    "arms": replace(EMPTY, heading_path=("Book", "Arms"), position=11),
    "club": replace(EMPTY, heading_path=("Book", "Arms"), position=12, kind="row", table_id="arms", row_key="Club"),
    "clubs": replace(EMPTY, heading_path=("Book", "Club"), position=13),
    "fist": replace(EMPTY, heading_path=("Book", "Fists"), position=14, kind="row", table_id="fists"),
}
IDS = sorted(LIBRARY)
GRAPH = build_graph([replace(LIBRARY[name], id=name) for name in IDS], np.eye(15, 16, dtype="f4"), Vocabulary.default())


def beside(*ranked: str, count: int = 9, without: str = "") -> list[str]:
    allowed = np.asarray([name != without for name in IDS])
    result = context_rows(GRAPH, [IDS.index(name) for name in ranked], count, lambda rows: int(rows[-1]), allowed)
    return [IDS[position] for position in result]


def test_a_row_brings_its_notes_its_section_the_prose_that_has_its_name_and_rows_that_they_name() -> None:
    assert beside("ac 6") == ["lead", "legend", "far", "turning", "combat", "strong", "str 4"]
    assert beside("club") == ["arms", "clubs"]
    assert beside("club", "ac 5", "str 3") == [
        *("arms", "clubs"),
        *("lead", "legend", "far", "turning", "combat", "strong", "str 4"),
    ]


def test_nothing_comes_twice_beside_prose_or_where_it_may_not() -> None:
    assert "book" not in beside("club", "str 3")
    assert beside("fist") == ["book"]
    assert beside("turning", "ac 6") == []
    assert beside("ac 6", "lead", without="legend", count=2) == ["far", "turning"]


RANKINGS = st.lists(st.integers(0, 24), min_size=1, max_size=30).map(
    lambda given: np.asarray(sorted(given)[::-1], "f8")
)


@given(RANKINGS, st.integers(0, 5), st.integers(0, 30))
def test_contenders_stay_and_a_longer_ranking_begins_like_a_shorter_one(scores, n_beside, k):
    ranked = np.arange(len(scores))
    outside = np.arange(n_beside) * 2 + CONTENDERS
    whole = placed(ranked, scores, outside)
    front = contenders(scores)
    assert whole.positions[:front].tolist() == ranked[:front].tolist()
    assert len(set(whole.positions.tolist())) == len(ranked)
    assert (np.diff(whole.scores) <= 0).all()
    ties = np.flatnonzero(np.diff(whole.scores) == 0)
    assert (whole.positions[ties] < whole.positions[ties + 1]).all()
    short = placed(ranked[:k], scores[:k], outside)
    assert short.positions.tolist() == whole.positions[:k].tolist()
    assert short.scores.tolist() == whole.scores[:k].tolist()


@given(RANKINGS)
def test_contenders_are_at_most_ten_and_their_equals_and_none_is_far_behind_the_first(scores: np.ndarray) -> None:
    front = contenders(scores)
    assert front <= CONTENDERS or scores[front - 1] == scores[CONTENDERS - 1]
    assert scores[0] - scores[front - 1] <= CLEAR
    assert front == len(scores) or front >= CONTENDERS or scores[0] - scores[front] > CLEAR


def test_context_that_stands_behind_a_clear_first_result_is_as_far_behind_as_what_is_no_contender() -> None:
    whole = placed(np.arange(3), np.asarray([20.0, 2.0, 1.0]), np.asarray([7, 8]))
    assert whole.positions.tolist() == [0, 7, 8]
    assert whole.scores[1] < 20.0 - CLEAR


def test_context_follows_the_contenders_whatever_k_is_and_says_what_moved_it(sample: Home) -> None:
    retriever = Retriever.open(sample.root)
    question = "What does a 7th level cleric need to roll to hit AC 6?"
    default = replace(strategy("default"), prose_among=0)
    hits = retriever.retrieve(question, 15, default).hits
    plain = retriever.retrieve(question, 15, replace(default, companions=0)).hits
    front = contenders(np.asarray([hit.score for hit in plain]))
    assert [hit.chunk.id for hit in hits[:front]] == [hit.chunk.id for hit in plain[:front]]
    moved = [hit for hit in hits if any(addend.name == CONTEXT_ROW and addend.value for addend in hit.addends)]
    assert [hit.rank for hit in moved] == list(range(front + 1, front + 6))
    assert {hit.chunk.heading_path[-1] for hit in moved} >= {"Attack Matrices", "Strength"}
    for hit in hits:
        assert sum(addend.contribution for addend in hit.addends) == pytest.approx(hit.score, abs=1e-9)
    for k in range(1, 15):
        few = retriever.retrieve(question, k, default).hits
        assert [hit.chunk.id for hit in few] == [hit.chunk.id for hit in hits[:k]]


@given(RANKINGS, st.integers(0, 5), st.integers(0, 34), st.integers(0, 30))
def test_prose_is_third_or_behind_those_that_tie_with_the_second(scores, n_beside, prose, k):
    ranked = np.arange(len(scores))
    plain = placed(ranked, scores, np.arange(n_beside) * 2 + CONTENDERS)
    put = plain.with_prose(prose)
    others = [position for position in put.positions.tolist() if position != prose]
    before = [position for position in plain.positions.tolist() if position != prose]
    assert others == before[: len(others)]
    assert len(put.positions) == len(plain.positions)
    assert (np.diff(put.scores) <= 0).all()
    if len(scores) > 2 and scores[0] - plain.scores[2] >= AHEAD:
        assert put is plain
    elif len(scores) > 2 and len(set(scores[1:].tolist())) == len(scores) - 1:
        assert prose in put.positions[:3]
    most = max(k, CONTENDERS + 1)
    short = placed(ranked[:most], scores[:most], np.arange(n_beside) * 2 + CONTENDERS).with_prose(prose).first(k)
    assert short.positions.tolist() == put.positions[:k].tolist()
    assert plain.with_prose(None) is plain


def test_the_nearest_prose_is_third_whatever_k_is_and_its_score_says_so(sample: Home) -> None:
    retriever = Retriever.open(sample.root)
    question = "What does a 7th level cleric need to roll to hit AC 6?"
    hits = retriever.retrieve(question, 12).hits
    plain = retriever.retrieve(question, 12, replace(strategy("default"), prose_among=0)).hits
    (moved,) = [hit for hit in hits if any(addend.name == NEAREST_PROSE and addend.value for addend in hit.addends)]
    assert moved.rank == 3
    assert moved.chunk.kind == "prose"
    assert [hit.chunk.id for hit in hits[:2]] == [hit.chunk.id for hit in plain[:2]]
    assert sum(addend.contribution for addend in moved.addends) == pytest.approx(moved.score, abs=1e-9)
    for k in range(1, 12):
        assert [hit.chunk.id for hit in retriever.retrieve(question, k).hits] == [hit.chunk.id for hit in hits[:k]]


def test_the_strength_table_comes_with_the_attack_matrix(sample: Home) -> None:
    hits = Retriever.open(sample.root).retrieve("What does a 7th level cleric need to roll to hit AC 6?", 15).hits
    assert any(hit.chunk.caption == "Strength Adjustments" and hit.chunk.kind == "row" for hit in hits)


@pytest.mark.parametrize(("among", "nearest"), [(0, None), (1, None), (2, 7), (3, 7), (9, 7)])
def test_the_nearest_prose_is_sought_by_vectors_among_the_nearest_candidates(among: int, nearest: int | None) -> None:
    positions = np.asarray([3, 5, 7, 8])
    zeros = np.zeros(4)
    pool = Candidates(
        positions,
        tables=np.arange(4),
        table_of=np.arange(4),
        section_of=np.zeros(4, dtype=np.int64),
        is_row=np.asarray([True, True, False, False]),
        lexical=np.asarray([0.0, 0.0, 0.0, 1.0]),
        dense=np.asarray([0.9, 0.2, 0.8, 0.3]),
        name=zeros,
        heading=zeros,
        table_lexical=zeros,
        table_dense=zeros,
        strongest=1.0,
    )
    assert _nearest_prose(pool, among) == nearest
