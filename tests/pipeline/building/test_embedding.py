from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipeline.building import embedding
from pipeline.building.embedding import EmbeddingTally, embed_chunks, logged_progress
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.embedding.embedding_text import embedding_key
from retrieval.types import Chunk, EmbedderIdentity, Vector


class CountingEmbedder:
    """One-hot vectors by length; remembers what it was asked for, and fails on a word."""

    def __init__(self) -> None:
        self.identity = EmbedderIdentity("counting", "1", 8)
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        if any("poison" in text for text in texts):
            raise RuntimeError("poison")
        self.batches.append(list(texts))
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]

    def embed_query(self, text: str) -> Vector:
        return self.embed([text])[0]


def prose(text: str) -> Chunk:
    return Chunk(
        id=text,
        book="b",
        document="d.md",
        kind="prose",
        text=text,
        search_text=text,
        source=text,
        lines=(1, 1),
        heading_path=(),
    )


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: CountingEmbedder) -> EmbeddingStore:
    return EmbeddingStore(tmp_path / "store", embedder.identity)


def test_what_the_store_has_is_not_embedded_again(
    store: EmbeddingStore, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    ledger = tmp_path / "embedded.txt"
    first = [prose("one"), prose("two"), prose("two")]
    assert embed_chunks(store, embedder, first, ledger) == EmbeddingTally(2, 0, 0)
    assert embed_chunks(store, embedder, first, ledger) == EmbeddingTally(0, 2, 0)
    assert embed_chunks(store, embedder, [prose("one"), prose("three")], ledger) == EmbeddingTally(1, 1, 1)
    assert embedder.batches == [["one", "two"], ["three"]]


def test_a_cell_that_the_embedder_does_not_see_is_embedded_once_all_the_same() -> None:
    row = replace(
        prose("x"),
        kind="row",
        columns=("Level", "Roll"),
        cells=("6", "14"),
        row_key="6",
        search_text="Level: 6; Roll: 14",
    )
    changed = replace(row, cells=("6", "15"), search_text="Level: 6; Roll: 15")
    assert embedding_key(row) != embedding_key(changed)


def test_a_pass_that_dies_keeps_the_batches_before(
    store: EmbeddingStore, embedder: CountingEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    chunks = [prose("one"), prose("two"), prose("poison"), prose("four")]
    with pytest.raises(RuntimeError, match="poison"):
        embed_chunks(store, embedder, chunks, tmp_path / "embedded.txt")
    assert len(store) == 2
    assert not (tmp_path / "embedded.txt").exists()
    rest = [chunk for chunk in chunks if chunk.text != "poison"]
    assert embed_chunks(store, embedder, rest, tmp_path / "embedded.txt") == EmbeddingTally(1, 2, 0)


def test_a_garbled_ledger_costs_a_count_and_no_vector(
    store: EmbeddingStore, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    ledger = tmp_path / "embedded.txt"
    embed_chunks(store, embedder, [prose("one")], ledger)
    whole = ledger.read_bytes()
    ledger.write_bytes(b"\xff\x00" * 40)
    assert embed_chunks(store, embedder, [prose("one")], ledger) == EmbeddingTally(0, 1, 0)
    assert ledger.read_bytes() == whole


def test_how_far_the_embedding_is_is_logged_at_most_once_in_ten_seconds(
    store: EmbeddingStore, embedder: CountingEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 1)
    times, lines = iter([0.0, 3.0, 9.9, 10.0, 10.0, 12.0, 25.0, 25.0]), []
    tell = logged_progress(lines.append, timer=lambda: next(times))
    chunks = [prose(str(number)) for number in range(5)]
    embed_chunks(store, embedder, chunks, tmp_path / "embedded.txt", tell)
    assert lines == ["2 of 5 chunks embedded", "4 of 5 chunks embedded"]
