"""The nearest from regions, against all vectors compared."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index import regions
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.index.words.lexical_index import Selection
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.evidence import similarity
from retrieval.search.first_stage import own_vectors
from retrieval.search.first_stage.own_vectors import AllowedChunks, compared_in_regions, nearest_of_own
from retrieval.search.fusion import Positions, best
from retrieval.search.metadata_filter import Eq
from retrieval.search.prefilter import Admission
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.strategy import GraphBoost
from retrieval.types import Chunk, Retrieval, Vector
from tests.retrieval.index.conftest import MODEL, ask_graphs, chunk, vectors_of
from tests.retrieval.search.conftest import ToyEmbedder, make_library, matrix_row

COUNT = 600


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """A library of 600 chunks in some sixty regions; every ninth is guarded. Of each vector there are two."""
    home, vectors = tmp_path_factory.mktemp("large"), vectors_of(COUNT)
    vectors[1::2] = vectors[::2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "UNDIVIDED", 100)
        patch.setattr(regions, "SIZE", 8)
        manifest = build_snapshot(home, [chunk(n) for n in range(COUNT)], vectors, MODEL, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        assert COUNT / 16 < len(snapshot.regions) < COUNT / 4
        yield snapshot


def by_comparing(snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks) -> Positions:
    return best(similarity(snapshot.vectors, vector), k, passing.mask(snapshot))


def question(seed: int) -> Vector:
    vector = np.random.default_rng(seed).normal(size=16).astype(np.float32)
    normalised: Vector = vector / np.linalg.norm(vector)
    return normalised


def passing_of(snapshot: Snapshot, seed: int, share: float, *, asks: bool) -> AllowedChunks:
    """Predicates that admit some of the guarded chunks, and a filter that lets a share of all through."""
    random = np.random.default_rng(seed)
    where = None if share >= 1 else random.random(COUNT) < share
    if not asks:
        return AllowedChunks(None, where)
    guarded = np.flatnonzero(snapshot.predicates.guarded)
    some = np.sort(random.choice(guarded, random.integers(0, len(guarded)), replace=False))
    return AllowedChunks(Admission(some, snapshot.asked("armor class 6").rivals), where)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.sampled_from([1, 3, 15, 200, COUNT]),
    compared=st.sampled_from([1, 40, 300, COUNT - 1]),
    share=st.sampled_from([0.0, 0.01, 0.1, 0.5, 0.97, 1.0]),
    asks=st.booleans(),
)
def test_what_is_found_may_come_back_is_k_where_k_exist_and_is_the_nearest_of_all_regions(
    large: Snapshot, seed: int, k: int, compared: int, share: float, asks: bool
) -> None:
    passing, vector = passing_of(large, seed, share, asks=asks), question(seed)
    may = passing.mask(large)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_vectors, "COMPARED", compared)
        nearest = nearest_of_own(large, vector, k, passing)
    there = COUNT if may is None else int(may.sum())
    assert len(set(nearest.tolist())) == len(nearest) == min(k, there)
    assert may is None or may[nearest].all()
    scores = similarity(large.vectors, vector)
    assert nearest.tolist() == nearest[np.lexsort((nearest, -scores[nearest]))].tolist(), "nearest first, then by id"
    if there <= max(compared, 16 * k) or compared == COUNT - 1:
        assert nearest.tolist() == by_comparing(large, vector, k, passing).tolist()


def test_a_search_looks_at_the_nearest_regions_first_and_no_further_than_it_has_to(
    large: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_vectors, "COMPARED", 60)
    hits = 0
    for seed in range(40):
        vector = question(seed)
        seen, _ = compared_in_regions(large, vector, 60, AllowedChunks())
        assert 60 <= len(seen) < COUNT / 3
        first = large.regions.chunks[int(large.regions.nearest_first(vector)[0])]
        assert set(first.tolist()) <= set(seen.tolist())
        wanted = by_comparing(large, vector, 5, AllowedChunks()).tolist()
        hits += len(set(nearest_of_own(large, vector, 5, AllowedChunks()).tolist()) & set(wanted))
    # Random directions are the worst case; a tenth of the chunks, drawn, would hold a tenth of the neighbours.
    assert hits > 40 * 5 * 0.4


def test_a_filter_makes_a_search_look_further(large: Snapshot) -> None:
    for share in (0.9, 0.5, 0.15):
        passing = passing_of(large, 7, share, asks=True)
        seen, cosines = compared_in_regions(large, question(7), 60, passing)
        may = passing.mask(large)
        assert may is not None
        assert may[seen].all()
        assert len(set(seen.tolist())) == len(seen) >= min(60, int(may.sum()))
        assert cosines.tolist() == similarity(large.vectors, question(7))[seen].tolist()


def test_a_reader_never_opens_chroma_unless_it_asks_for_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "UNDIVIDED", 100)
    monkeypatch.setattr(regions, "SIZE", 8)
    chunks = make_library()
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(tmp_path, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    ask_graphs(tmp_path)
    with open_snapshot(tmp_path, manifest.id) as snapshot:
        retriever = Retriever(snapshot, ToyEmbedder())
        for strategy in ("bm25", "dense", "hybrid", "hybrid_graph", "prefilter", "default"):
            assert len(retriever.retrieve("What does a cleric need to hit AC 6?", 9, strategy, debug=True).hits) == 9
        assert "collections" not in snapshot.__dict__
        retriever.retrieve("What does a cleric need to hit AC 6?", 9, "iterative")
        assert "collections" in snapshot.__dict__
        assert "chromadb" in sys.modules


SUBJECTS = [a + b + c for a in ("bar", "mel", "tor", "vun") for b in ("do", "ga", "ri") for c in ("k", "l", "n", "sh")]
QUESTIONS = (
    "What does a bardok need to hit armor class 6?",
    "melgan against armor class -3",
    "level 1 of the vunrish, AC 2 and AC 4",
    "which attack matrix is for torgals",
    "combat",
    "zyzzyva",
)
FILTERS = (None, Eq("shelf", 3), Eq("half", 1))


def rows() -> Sequence[Chunk]:

    return [
        replace(
            row,
            query_must=row.query_must if position % 2 else None,
            metadata={"shelf": position // 5, "half": position % 2},
        )
        for position, subject in enumerate(SUBJECTS)
        for row in (matrix_row(subject, value) for value in range(-9, 11))
    ]


@pytest.fixture(scope="module")
def portion_large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """A library of 960 rows in 120 regions."""
    home, chunks = tmp_path_factory.mktemp("portion_large"), rows()
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "UNDIVIDED", 0)
        patch.setattr(regions, "SIZE", 8)
        manifest = build_snapshot(home, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, ToyEmbedder())


def hits(found: Retrieval) -> list[tuple[str, float]]:
    return [(hit.chunk.id, hit.score) for hit in found.hits]


@pytest.mark.parametrize("where", FILTERS, ids=["all", "few", "half"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_portion_that_holds_every_word_is_ranked_as_the_whole(
    portion_large: Retriever, question: str, where: Eq | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = portion_large.retrieve(question, 12, where=where)
    monkeypatch.setattr(own_vectors, "SCORED_WHOLE", 0)
    monkeypatch.setattr(own_vectors, "NEAREST", 960)

    result = portion_large.retrieve(question, 12, where=where)

    assert hits(result) == hits(whole)
    assert [hit.evidence for hit in result.hits] == [hit.evidence for hit in whole.hits]
    assert result.receipt.excluded == whole.receipt.excluded


def test_the_row_that_is_asked_for_is_found_in_a_small_part(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SCORED_WHOLE", 0), ("WORDED", 60), ("DEEP", 40), ("NEAREST", 10), ("FEW", 20), ("BEST", 30)):
        monkeypatch.setattr(own_vectors, name, value)
    monkeypatch.setattr(own_vectors, "COMPARED", 100)
    for subject in ("bardok", "torgal", "vunrish"):
        question = Query.ask(f"What does a {subject} need to hit armor class 6?", portion_large.snapshot.vocabulary)
        passing = AllowedChunks(portion_large.admitted(question))
        vector, allowed = portion_large.vector_of(question.text), passing.mask(portion_large.snapshot)
        some = own_vectors.n_candidates(portion_large.snapshot, question, vector, passing, allowed)

        assert f"{subject}-26" in [portion_large.snapshot.chunks.id_at(int(position)) for position in some.positions]
        assert len(some) < len(portion_large.snapshot) / 4
        assert portion_large.retrieve(question.text, 5).hits[0].chunk.id == f"{subject}-26"


def test_a_stop_word_takes_no_place_of_a_word_that_is_looked_for(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All chunks say `for`, and as many `attack`; half as many would have room.
    for name, value in (("WORDED", 1000), ("DEEP", 960), ("NEAREST", 1), ("FEW", 0), ("BEST", 1)):
        monkeypatch.setattr(own_vectors, name, value)
    snapshot = portion_large.snapshot
    question = Query.ask("for a bardok", snapshot.vocabulary)
    some = own_vectors.n_candidates(snapshot, question, portion_large.vector_of(question.text), AllowedChunks(), None)
    subjects = {snapshot.chunks[int(position)].table_id for position in some.positions}
    assert "bardok" in subjects
    assert len(some) <= 21, "twenty rows of its table, and the nearest"


def test_what_stands_beside_a_row_is_measured_against_the_same_best(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = portion_large.snapshot
    question = Query.ask("What does a bardok need to hit armor class 6?", snapshot.vocabulary)
    vector, inside = portion_large.vector_of(question.text), Selection.of([np.arange(100)], len(snapshot))
    legs = own_vectors._legs(snapshot, question, vector, inside)
    assert legs.portion is not None
    lexical = snapshot.lexical.scores(question.text)
    assert lexical.argmax() < 100, "what is looked at holds the best"
    beyond = np.asarray([500, 20, 900])
    assert legs.portion.at(beyond)["lexical"] == pytest.approx(lexical[beyond] / lexical.max())


def test_of_rows_that_are_equally_good_the_nearest_are_looked_at(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("DEEP", 30), ("NEAREST", 1), ("FEW", 0)):
        monkeypatch.setattr(own_vectors, name, value)
    snapshot, question = portion_large.snapshot, Query.ask("combat", portion_large.snapshot.vocabulary)
    vector = portion_large.vector_of(question.text)

    some = own_vectors.n_candidates(snapshot, question, vector, AllowedChunks(), None)

    lexical, cosines = snapshot.lexical.scores(question.text), np.vecdot(snapshot.vectors, vector)
    assert len(np.unique(lexical)) == 1
    assert set(np.argsort(-cosines, kind="stable")[:30].tolist()) <= set(some.positions.tolist())
    assert len(some) <= 31


def test_the_nearest_of_a_portion_are_asked_of_a_server_where_it_has_the_collections(
    chroma_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERYMUST_CHROMA", chroma_server)
    chunks = rows()
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(tmp_path, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    ask_graphs(tmp_path)
    with open_snapshot(tmp_path, manifest.id) as snapshot:
        there, text = Retriever(snapshot, ToyEmbedder()), "What does a torgal need to hit armor class 6?"
        whole = there.retrieve(text, 12)
        assert "collections" not in snapshot.__dict__
        monkeypatch.setattr(own_vectors, "SCORED_WHOLE", 0)
        monkeypatch.setattr(own_vectors, "NEAREST", 480)
        assert hits(there.retrieve(text, 12)) == hits(whole)
        assert "collections" in snapshot.__dict__


def test_where_a_portion_holds_too_few_the_whole_is_ranked(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = portion_large.retrieve("zyzzyva", 300)
    monkeypatch.setattr(own_vectors, "SCORED_WHOLE", 0)
    monkeypatch.setattr(own_vectors, "NEAREST", 20)
    assert hits(portion_large.retrieve("zyzzyva", 300)) == hits(whole)
    assert len(whole.hits) == 300


def test_a_ranking_that_looks_around_or_leaves_nothing_out_sees_the_whole(portion_large: Retriever) -> None:

    default = strategy("default")
    assert not own_vectors.is_ranked_from_candidates(portion_large.snapshot, default)
    for other in (replace(default, graph=GraphBoost()), strategy("hybrid"), replace(default, exhaustive=True)):
        assert not own_vectors.is_ranked_from_candidates(portion_large.snapshot, other)
