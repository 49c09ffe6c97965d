"""The nearest from regions, against all vectors compared."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index.regions import regions
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.dense.admission import Admission
from retrieval.search.dense.cosine import similarity
from retrieval.search.first_stage import own_vectors
from retrieval.search.first_stage.own_vectors import compared_in_regions, nearest_of_own
from retrieval.search.first_stage.stage import Passing
from retrieval.search.fusion import Positions, best
from retrieval.search.retriever import Retriever
from retrieval.types import Vector
from tests.retrieval.index.conftest import MODEL, ask_graphs, chunk, vectors_of
from tests.retrieval.search.conftest import ToyEmbedder, make_library

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


def by_comparing(snapshot: Snapshot, vector: Vector, k: int, passing: Passing) -> Positions:
    return best(similarity(snapshot.vectors, vector), k, passing.mask(snapshot))


def question(seed: int) -> Vector:
    vector = np.random.default_rng(seed).normal(size=16).astype(np.float32)
    normalised: Vector = vector / np.linalg.norm(vector)
    return normalised


def passing_of(snapshot: Snapshot, seed: int, share: float, *, asks: bool) -> Passing:
    """Predicates that admit some of the guarded chunks, and a filter that lets a share of all through."""
    random = np.random.default_rng(seed)
    where = None if share >= 1 else random.random(COUNT) < share
    if not asks:
        return Passing(None, where)
    guarded = np.flatnonzero(snapshot.predicates.guarded)
    some = np.sort(random.choice(guarded, random.integers(0, len(guarded)), replace=False))
    return Passing(Admission(some, snapshot.asked("armor class 6").rivals), where)  # type: ignore[arg-type]


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
        found = nearest_of_own(large, vector, k, passing)
    there = COUNT if may is None else int(may.sum())
    assert len(set(found.tolist())) == len(found) == min(k, there)
    assert may is None or may[found].all()
    scores = similarity(large.vectors, vector)
    assert found.tolist() == found[np.lexsort((found, -scores[found]))].tolist(), "nearest first, then by id"
    if there <= max(compared, 16 * k) or compared == COUNT - 1:
        assert found.tolist() == by_comparing(large, vector, k, passing).tolist()


def test_a_search_looks_at_the_nearest_regions_first_and_no_further_than_it_has_to(
    large: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_vectors, "COMPARED", 60)
    hits = 0
    for seed in range(40):
        vector = question(seed)
        seen, _ = compared_in_regions(large, vector, 60, Passing())
        assert 60 <= len(seen) < COUNT / 3
        first = large.regions.chunks[int(large.regions.nearest_first(vector)[0])]
        assert set(first.tolist()) <= set(seen.tolist())
        wanted = by_comparing(large, vector, 5, Passing()).tolist()
        hits += len(set(nearest_of_own(large, vector, 5, Passing()).tolist()) & set(wanted))
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
    vectors = ToyEmbedder().embed([each.search_text for each in chunks])
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
