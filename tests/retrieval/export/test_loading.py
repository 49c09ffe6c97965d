import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.artifacts.artifacts import (
    BookKey,
    ChunkEmbedding,
    EnrichedChunk,
    GraphEdge,
    TraversalIndexEntry,
    record_of,
)
from retrieval.artifacts.mongo_store import URI, MongoStore
from retrieval.artifacts.sqlite_store import SqliteStore
from retrieval.errors import EmbedderMismatchError, IndexCorruptError, IndexMissingError
from retrieval.export.loading import EmbeddingLoader, MongoEmbeddingLoader, _document_id, _file_name, write_legacy_files
from retrieval.export.projection import Choice, Projection, write_artifacts
from retrieval.index.snapshot.snapshot import open_snapshot
from tests.graphs import edges_of
from tests.retrieval.artifacts.conftest import LATER, RULES, artifacts


def test_a_book_is_loaded_from_mongodb_as_the_snapshot_has_it(tiny_built, small, mongo_uri, monkeypatch):
    with closing(MongoStore.open(mongo_uri)) as server:
        write_artifacts(small, server, Choice())
    monkeypatch.setenv(URI, mongo_uri)
    loaded = MongoEmbeddingLoader("tiny", "tiny")
    with open_snapshot(tiny_built.root) as snapshot:
        assert loaded.chunk_ids == tuple(chunk.id for chunk in snapshot.chunks)
        assert np.array_equal(loaded.embeddings, snapshot.vectors)
        edges = list(edges_of(snapshot.graph, loaded.chunk_ids))
    assert all(edge.target_id in loaded.graph_adjacency[edge.source_id] for edge in edges)
    assert all(edge.source_id in loaded.graph_adjacency[edge.target_id] for edge in edges)
    assert sum(map(len, loaded.graph_adjacency.values())) <= 2 * len(edges)
    scores = loaded.embeddings @ loaded.model.embed_query("What does a mace cost?")
    assert "Mace" in loaded.chunks[int(scores.argmax())].title
    assert loaded.chunk_id_to_index[loaded.chunk_ids[3]] == 3


def test_a_book_or_model_that_is_not_there_is_answered_with_those_that_are(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", "b"))
    with pytest.raises(IndexMissingError, match="available: starfinder/core"):
        EmbeddingLoader(sqlite, "starfinder", "gm")
    with pytest.raises(IndexMissingError, match=r"no vectors of model 'st:nomic-ai/[^']+'; available: toy"):
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
        chunk_embeddings: list[ChunkEmbedding] = list(super().embeddings(book, model_id))
        self.replace_book(artifacts("a", "b", run="run2"))
        return iter(chunk_embeddings)


def test_a_book_that_is_written_while_it_is_read_is_refused(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", "b"))
    with closing(WrittenMeanwhile(sqlite.path)) as store, pytest.raises(IndexCorruptError, match="load it again"):
        EmbeddingLoader(store, *RULES)


def test_a_book_that_was_broken_off_is_refused(sqlite: SqliteStore) -> None:
    book = artifacts("a", "b")
    entry: TraversalIndexEntry = replace(book.entry, complete=False, created_at=LATER)
    sqlite.replace_book(replace(book, entry=entry))
    with pytest.raises(IndexCorruptError, match="are being written, or writing was interrupted"):
        EmbeddingLoader(sqlite, *RULES)


def test_a_model_of_other_dimensions_than_the_vectors_is_refused(sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("a", model="wordllama"))
    with pytest.raises(EmbedderMismatchError, match="have 3 dimensions here, and 256 by the model"):
        EmbeddingLoader(sqlite, *RULES).model  # noqa: B018


def read(path: Path) -> dict[str, list[dict[str, object]]]:
    return json.loads(path.read_text("utf-8"))


def test_every_document_has_its_files_and_the_merged_ones_have_them_all(projection: Projection, tmp_path: Path) -> None:
    files = write_legacy_files(projection, tmp_path, Choice())
    (folder,) = {path.parent for path in files}
    assert folder.relative_to(tmp_path).parts[:4] == ("lantern-and-blade-1", "lantern-and-blade", "outputs", "runs")
    assert folder.parent.name.endswith(f"Z-{projection.run_id}")
    book = projection.book(projection.books[0])
    chunks = sorted(book.chunks, key=lambda chunk: chunk.chunk_id)
    documents = sorted({chunk.document.removesuffix(".md") for chunk in chunks})
    names = [f"{name}.{kind}.json" for name in (*documents, "merged") for kind in ("enriched", "graph")]
    assert [path.name for path in files] == names
    merged = read(folder / "merged.enriched.json")["chunks"]
    assert [record_of(each, EnrichedChunk, "") for each in merged] == chunks
    edges = [record_of(each, GraphEdge, "") for each in read(folder / "merged.graph.json")["edges"]]
    assert edges == sorted(book.edges, key=lambda edge: (edge.source_id, edge.target_id, edge.relation))


def test_the_files_of_the_documents_add_up_to_the_merged_ones(projection: Projection, tmp_path: Path) -> None:
    files = write_legacy_files(projection, tmp_path, Choice())
    for kind, key in (("enriched", "chunks"), ("graph", "edges"), ("graph", "nodes")):
        *parts, merged = (read(path)[key] for path in files if path.name.endswith(f".{kind}.json"))
        result = [json.dumps(each, sort_keys=True) for part in parts for each in part]
        assert set(result) == {json.dumps(each, sort_keys=True) for each in merged}
        assert key == "nodes" or len(result) == len(merged)


def test_the_ends_of_every_edge_within_the_book_are_nodes_of_the_same_file(projection, tmp_path):
    for path in write_legacy_files(projection, tmp_path, Choice()):
        if path.name.endswith(".graph.json"):
            graph = read(path)
            nodes = {node["node_id"] for node in graph["nodes"]}
            assert {edge[end] for edge in graph["edges"] for end in ("source_id", "target_id")} <= nodes


def test_the_same_snapshot_gives_the_same_bytes(projection: Projection, tmp_path: Path) -> None:
    one, other = (write_legacy_files(projection, tmp_path / name, Choice()) for name in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_a_name_that_is_no_file_name_becomes_one_of_its_own() -> None:
    assert _document_id("part/01.md") != _document_id("part_01.md") == "part_01"
    assert _document_id("merged.md") == "merged.md"
    for strange in ("../up", "..", "a/b", "", "a b", "a\x00b"):
        assert "/" not in _file_name(strange)
        assert _file_name(strange).strip(".")
        assert _file_name(strange) != strange
