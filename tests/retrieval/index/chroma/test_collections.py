from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import VectorDBWriteError
from retrieval.index.chroma import collections, soundness
from retrieval.index.chroma.collections import build_collections, collections_are_sound
from retrieval.index.chroma.soundness import ChunkColumns, NeighbourSearch
from retrieval.index.chroma.store import ChromaStore, HnswSettings
from retrieval.types import Chunk, Vector
from tests.retrieval.index.conftest import chunk

COUNT, FEW = 2000, 300
HNSW = HnswSettings()
DEAF = HnswSettings(max_neighbors=2, ef_construction=2, ef_search=2)


def crowd() -> Vector:
    """Fifty crowds of near-twins, so that a poor graph links twins only."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(50, 16)).repeat(COUNT // 50, axis=0)
    matrix = (centres + 0.05 * rng.normal(size=(COUNT, 16))).astype(np.float32)
    normalised: Vector = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return normalised


CHUNKS = sorted((chunk(number) for number in range(COUNT)), key=lambda each: each.id)
GUARDED = np.asarray([each.query_must is not None for each in CHUNKS])
CONTENTS = ChunkColumns.of([each.id for each in CHUNKS], crowd(), GUARDED)
SMALL = ChunkColumns.of([each.id for each in CHUNKS[:FEW]], crowd()[:FEW], GUARDED[:FEW])


def build(folder: Path, chunks: list[Chunk] = CHUNKS, contents: ChunkColumns = CONTENTS) -> NeighbourSearch:
    search = build_collections(folder / "chroma", None, chunks, contents, lambda *_: None)
    search.write(folder)
    return search


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 2,000 chunks count as many."""
    monkeypatch.setattr(collections, "EXACT_UP_TO", 100)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_deaf_graph_is_built_again_with_more_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "TRIES", (DEAF, DEAF, HNSW))
    search = build(tmp_path)
    assert (search.builds, search.hnsw, search.exact) == (3, HNSW, False)
    assert search.ann_recall >= 0.99
    assert collections_are_sound(tmp_path, None, CONTENTS)


@pytest.mark.usefixtures("large")
def test_graphs_that_stay_deaf_leave_searches_to_compare_every_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collections, "TRIES", (DEAF, DEAF))
    search = build(tmp_path)
    assert (search.builds, search.exact) == (2, True)
    assert "stayed deaf in 2 builds" in search.reason
    assert "do not find themselves" in search.reason or "true neighbours" in search.reason
    assert search.ann_recall < 1
    assert collections_are_sound(tmp_path, None, CONTENTS)  # a second build must not try for ever


def test_a_large_library_gets_no_embedded_collections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "EMBEDDED_UP_TO", FEW - 1)
    search = build(tmp_path, CHUNKS[:FEW], SMALL)
    assert (search.builds, search.hnsw, search.ann_recall, search.exact) == (0, None, None, True)
    assert list(tmp_path.iterdir()) == [tmp_path / "neighbour_search.json"]
    assert collections_are_sound(tmp_path, None, SMALL)
    monkeypatch.setattr(soundness, "EMBEDDED_UP_TO", FEW)
    assert not collections_are_sound(tmp_path, None, SMALL)


@pytest.mark.usefixtures("large")
def test_a_graph_that_is_asked_and_deaf_is_not_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "TRIES", (DEAF,))
    NeighbourSearch(False, "claimed", "embedded", DEAF, 1, 1.0).write(tmp_path)
    build_collections(tmp_path / "chroma", None, CHUNKS, CONTENTS, lambda *_: None)
    assert not collections_are_sound(tmp_path, None, CONTENTS)


def test_a_small_library_is_compared_whole_and_says_so(tmp_path: Path) -> None:
    search = build(tmp_path, CHUNKS[:FEW], SMALL)
    assert search.exact
    assert search.reason == "300 chunks are compared sooner than a graph answers"
    assert collections_are_sound(tmp_path, None, SMALL)


def test_what_chroma_cannot_write_is_one_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise RuntimeError("database or disk is full")

    monkeypatch.setattr(ChromaStore, "add", full)
    with pytest.raises(VectorDBWriteError, match=r"disk is full\); make room there"):
        build(tmp_path, CHUNKS[:FEW], SMALL)


def test_lost_records_are_not_sound_whoever_is_asked(tmp_path: Path) -> None:
    build(tmp_path, CHUNKS[:FEW], SMALL)
    store = ChromaStore(tmp_path / "chroma")
    store.collection("open").delete(ids=SMALL.ids_at(SMALL.members()["open"][:1]))
    store.close()
    assert not collections_are_sound(tmp_path, None, SMALL)


def test_collections_of_which_nothing_is_known_are_built_again(tmp_path: Path) -> None:
    build(tmp_path, CHUNKS[:FEW], SMALL)
    (tmp_path / "neighbour_search.json").write_text("{")
    assert NeighbourSearch.read(tmp_path) is None
    assert not collections_are_sound(tmp_path, None, SMALL)
