from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from retrieval.artifacts.artifacts import BookKey, ChunkEmbedding, TraversalIndexEntry
from retrieval.artifacts.mongo_store import URI, MongoStore
from retrieval.artifacts.sqlite_store import SqliteStore
from retrieval.errors import EmbedderMismatchError, IndexCorruptError, IndexMissingError
from retrieval.handoff.embedding_loader import EmbeddingLoader, MongoEmbeddingLoader
from retrieval.handoff.projection import Choice, Projection
from retrieval.handoff.writing import write_artifacts
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from tests.retrieval.artifacts.conftest import LATER, RULES, artifacts


def test_a_book_is_loaded_from_mongodb_as_the_snapshot_has_it(
    tiny_built: Home, small: Projection, mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(MongoStore.open(mongo_uri)) as server:
        write_artifacts(small, server, Choice())
    monkeypatch.setenv(URI, mongo_uri)
    loaded = MongoEmbeddingLoader("tiny", "tiny")
    with open_snapshot(tiny_built.root) as snapshot:
        assert loaded.chunk_ids == tuple(chunk.id for chunk in snapshot.chunks)
        assert np.array_equal(loaded.embeddings, snapshot.vectors)
        edges = list(snapshot.graph.edges(loaded.chunk_ids))
    assert all(edge.target_id in loaded.graph_adjacency[edge.source_id] for edge in edges)
    assert all(edge.source_id in loaded.graph_adjacency[edge.target_id] for edge in edges)
    assert sum(map(len, loaded.graph_adjacency.values())) <= 2 * len(edges)
    scores = loaded.embeddings @ loaded.model.embed_query("What does a mace cost?")
    assert "Mace" in loaded.chunks[int(scores.argmax())].title
    assert loaded.chunk_id_to_index[loaded.chunk_ids[3]] == 3


def test_a_book_or_model_that_is_not_there_is_answered_with_those_that_are(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", "b"))
    with pytest.raises(IndexMissingError, match="there are: starfinder/core"):
        EmbeddingLoader(sqlite, "starfinder", "gm")
    with pytest.raises(IndexMissingError, match=r"no vectors of model 'st:nomic-ai/[^']+'; there are: toy"):
        EmbeddingLoader(sqlite, *RULES, model_id="nomic-embed-text-v2")


def test_the_vectors_of_a_model_from_before_are_still_there(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", "b"))
    sqlite.replace_book(artifacts("a", "b", run="run2", model="better"))
    assert EmbeddingLoader(sqlite, *RULES).model_id == "better"
    assert EmbeddingLoader(sqlite, *RULES, model_id="toy").embeddings.shape == (2, 3)


def test_a_missing_vector_is_an_error_and_never_zeros(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", "b"))
    new = artifacts("a", "b", "c", run="run2", model="better")
    sqlite.replace_book(new)
    with pytest.raises(IndexCorruptError, match=r"1 of 3 chunks of core have no vector of toy, the first is c"):
        EmbeddingLoader(sqlite, *RULES, model_id="toy")


class WrittenMeanwhile(SqliteStore):
    """A store into which somebody else writes once the vectors are read."""

    def embeddings(self, book: BookKey, model_id: str):
        found: list[ChunkEmbedding] = list(super().embeddings(book, model_id))
        self.replace_book(artifacts("a", "b", run="run2"))
        return iter(found)


def test_a_book_that_is_written_while_it_is_read_is_refused(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", "b"))
    with closing(WrittenMeanwhile(sqlite.path)) as store, pytest.raises(IndexCorruptError, match="load it again"):
        EmbeddingLoader(store, *RULES)


def test_a_book_that_was_broken_off_is_refused(sqlite: SqliteStore) -> None:
    book = artifacts("a", "b")
    entry: TraversalIndexEntry = replace(book.entry, complete=False, created_at=LATER)
    sqlite.replace_book(replace(book, entry=entry))
    with pytest.raises(IndexCorruptError, match="are being written, or that was broken off"):
        EmbeddingLoader(sqlite, *RULES)


def test_a_model_of_other_dimensions_than_the_vectors_is_refused(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", model="wordllama"))
    with pytest.raises(EmbedderMismatchError, match="have 3 dimensions here, and 256 by the model"):
        EmbeddingLoader(sqlite, *RULES).model  # noqa: B018
