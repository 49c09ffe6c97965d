"""A book loaded from an artifact store or from files: chunks, vectors and graph, aligned."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from retrieval.artifacts.artifacts import BookArtifacts, BookKey, EnrichedChunk, GraphEdge, GraphNode, document_of
from retrieval.artifacts.mongo_store import MongoStore
from retrieval.artifacts.store import ArtifactStore, complete_entry
from retrieval.errors import EmbedderMismatchError, IndexCorruptError, IndexMissingError
from retrieval.export.projection import Choice, Projection
from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.embedders import load_embedder
from retrieval.settings import embedder_of
from retrieval.types import Embedder, Vector


class EmbeddingLoader:
    """One book of an artifact store, with aligned chunks, vectors and graph.

    Args:
        store: read only during construction.
        ruleset_id: of the book.
        book_id: slug of the book.
        model_id: of the vectors; None: the model with which the book was last written.

    Raises:
        IndexMissingError: the store has no such book, or no vectors of that model.
        IndexCorruptError: the book is incomplete: it is being written, or a chunk has no vector. Zeros in its place
            would hide that.
    """

    def __init__(self, store: ArtifactStore, ruleset_id: str, book_id: str, model_id: str | None = None) -> None:
        book = BookKey(ruleset_id, book_id)
        self.entry = complete_entry(store, book)
        self.model_id = embedder_of(model_id) if model_id else self.entry.model_id
        self.chunks: tuple[EnrichedChunk, ...] = tuple(store.chunks(book))
        self.chunk_ids = tuple(chunk.chunk_id for chunk in self.chunks)
        self.chunk_id_to_index = {chunk_id: position for position, chunk_id in enumerate(self.chunk_ids)}
        self.embeddings = self._aligned(store, book)
        """(chunks, dimensions), in the order of `chunks`."""
        self.graph_adjacency = _adjacency(store.edges(book))
        """The neighbours of each node, in both directions; some belong to other books."""
        # If the book was written in the meantime, the runs or the entry differ.
        strange = {chunk.run_id for chunk in self.chunks} - {self.entry.run_id}
        if strange or len(self.chunks) != self.entry.n_chunks or complete_entry(store, book) != self.entry:
            raise IndexCorruptError(f"{ruleset_id}/{book_id} was written while it was read; load it again")

    @cached_property
    def model(self) -> Embedder:
        """The embedder of these vectors, for questions.

        Raises:
            UnknownNameError: no embedder has the model's name.
            EmbedderMismatchError: its vectors have other dimensions than these.
        """
        embedder = load_embedder(self.model_id)
        if embedder.identity.dimensions != self.embeddings.shape[1]:
            raise EmbedderMismatchError(
                f"vectors of {self.model_id} have {self.embeddings.shape[1]} dimensions here, and "
                f"{embedder.identity.dimensions} by the model; export again"
            )
        return embedder

    def _aligned(self, store: ArtifactStore, book: BookKey) -> Vector:
        vectors = {embedding.chunk_id: embedding.embedding for embedding in store.embeddings(book, self.model_id)}
        if not vectors:
            there = ", ".join(store.models(book)) or "none"
            raise IndexMissingError(f"{book.book_id} has no vectors of model {self.model_id!r}; available: {there}")
        missing = [chunk_id for chunk_id in self.chunk_ids if chunk_id not in vectors]
        if missing:
            raise IndexCorruptError(
                f"{len(missing)} of {len(self.chunk_ids)} chunks of {book.book_id} have no vector of {self.model_id}, "
                f"the first is {missing[0]}; build with that embedder, and export again"
            )
        return np.asarray([vectors[chunk_id] for chunk_id in self.chunk_ids], dtype=np.float32)


class MongoEmbeddingLoader(EmbeddingLoader):
    """One book of a MongoDB server.

    Args:
        ruleset_id: of the book.
        book_id: slug of the book.
        model_id: of the vectors; None: the model with which the book was last written.
        mongo_uri: `mongodb://HOST:PORT/DATABASE`; None: the value of QUERYMUST_MONGO_URI.

    Raises:
        IndexMissingError: the server cannot be reached; or as for `EmbeddingLoader`.
        IndexCorruptError: as for `EmbeddingLoader`.
        UnreadableSettingsError: no server is named, or the address is invalid.
    """

    def __init__(
        self, ruleset_id: str, book_id: str, model_id: str | None = None, mongo_uri: str | None = None
    ) -> None:
        with closing(MongoStore.open(mongo_uri)) as store:
            super().__init__(store, ruleset_id, book_id, model_id)


def _adjacency(edges: Iterable[GraphEdge]) -> dict[str, set[str]]:
    neighbours: dict[str, set[str]] = {}
    for edge in edges:
        neighbours.setdefault(edge.source_id, set()).add(edge.target_id)
        neighbours.setdefault(edge.target_id, set()).add(edge.source_id)
    return neighbours


_MERGED = "merged"
_STRANGE = re.compile(r"[^\w.-]+")


def write_legacy_files(projection: Projection, folder: Path, choice: Choice) -> tuple[Path, ...]:
    """Write the files of the chosen books and return their paths, by book in the order of the documents.

    Raises:
        UnknownNameError: there is no such book or ruleset; nothing was written.
    """
    run = f"{projection.created_at:%Y%m%dT%H%M%SZ}-{projection.run_id}"
    written: list[Path] = []
    for key in choice.of(projection.books):
        position = folder / _file_name(key.ruleset_id) / _file_name(key.book_id) / "outputs" / "runs" / run / "enriched"
        written += _write_book(projection.book(key), key, position)
    return tuple(written)


def _write_book(book: BookArtifacts, key: BookKey, folder: Path) -> list[Path]:
    chunks = sorted(book.chunks, key=lambda chunk: chunk.chunk_id)
    nodes = sorted(book.nodes, key=lambda node: node.node_id)
    edges = sorted(book.edges, key=lambda edge: (edge.source_id, edge.target_id, edge.relation))
    by_document: Mapping[str, list[EnrichedChunk]] = defaultdict(list)
    for chunk in chunks:
        by_document[chunk.document].append(chunk)
    head = {"ruleset_id": key.ruleset_id, "book_id": key.book_id, "run_id": book.entry.run_id}
    written = []
    for document in sorted(by_document):
        own = by_document[document]
        inside = _nodes_of(own, edges)
        leading = [edge for edge in edges if edge.source_id in inside]
        reached = {edge.target_id for edge in leading} | inside
        name = _document_id(document)
        about = {**head, "document": document}
        written += _write_pair(folder, name, about, own, [node for node in nodes if node.node_id in reached], leading)
    return [*written, *_write_pair(folder, _MERGED, head, chunks, nodes, edges)]


def _nodes_of(chunks: Iterable[EnrichedChunk], edges: Iterable[GraphEdge]) -> frozenset[str]:
    """Return a document's chunks and the sections that contain them."""
    above: Mapping[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge.relation == "contains":
            above[edge.target_id].append(edge.source_id)
    nodes: set[str] = set()
    waiting = [chunk.chunk_id for chunk in chunks]
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes.add(node)
            waiting += above[node]
    return frozenset(nodes)


def _write_pair(
    folder: Path,
    name: str,
    about: Mapping[str, str],
    chunks: Sequence[EnrichedChunk],
    nodes: Sequence[GraphNode],
    edges: Sequence[GraphEdge],
) -> list[Path]:
    files = {
        folder / f"{name}.enriched.json": {**about, "chunks": [document_of(chunk, "json") for chunk in chunks]},
        folder / f"{name}.graph.json": {
            **about,
            "nodes": [document_of(node, "json") for node in nodes],
            "edges": [document_of(edge, "json") for edge in edges],
        },
    }
    for path, content in files.items():
        write_atomically(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return list(files)


def _document_id(path: str) -> str:
    """Return a document's path as a file name without its ending."""
    removesuffix = path.removesuffix(".md")
    return _file_name(path if removesuffix == _MERGED else removesuffix)


def _file_name(name: str) -> str:
    """Return the name, or a unique valid file name if it is not one."""
    plain = _STRANGE.sub("_", name).strip(".") or "_"
    return plain if plain == name else f"{plain[:80]}-{sha256(name.encode()).hexdigest()[:8]}"
