"""Read a book from an artifact store: chunks, their vectors and the graph, in memory and aligned."""

from collections.abc import Iterable
from contextlib import closing
from functools import cached_property

import numpy as np

from retrieval.artifacts.artifacts import BookKey, EnrichedChunk, GraphEdge
from retrieval.artifacts.mongo_store import MongoStore
from retrieval.artifacts.store import ArtifactStore, complete_entry
from retrieval.contract_settings import embedder_of
from retrieval.errors import EmbedderMismatchError, IndexCorruptError, IndexMissingError
from retrieval.index.embedding.embedders import load_embedder
from retrieval.types import Embedder, Vector


class EmbeddingLoader:
    """One book of an artifact store.

    Args:
        store: read while this is made, and not afterwards.
        ruleset_id: with `book_id`, which book.
        book_id: slug of the book.
        model_id: whose vectors; None: of the model that the book was written with last.

    Raises:
        IndexMissingError: the store has no such book, or no vectors of that model.
        IndexCorruptError: the book is not whole: it is being written, or a chunk has no vector, which never
            becomes zeros: that would hide it.
    """

    def __init__(self, store: ArtifactStore, ruleset_id: str, book_id: str, model_id: str | None = None) -> None:
        book = BookKey(ruleset_id, book_id)
        self.entry = complete_entry(store, book)
        self.model_id = embedder_of(model_id) if model_id else self.entry.model_id
        self.chunks: tuple[EnrichedChunk, ...] = tuple(store.chunks(book))
        self.chunk_ids = tuple(chunk.chunk_id for chunk in self.chunks)
        self.chunk_id_to_index = {chunk_id: place for place, chunk_id in enumerate(self.chunk_ids)}
        self.embeddings = self._aligned(store, book)
        """(chunks, dimensions), in the order of `chunks`."""
        self.graph_adjacency = _adjacency(store.edges(book))
        """The nodes beside each node, in both directions; some are of other books."""
        # Somebody may have written while this was read: then the runs differ, or the entry does.
        strange = {chunk.run_id for chunk in self.chunks} - {self.entry.run_id}
        if strange or len(self.chunks) != self.entry.n_chunks or complete_entry(store, book) != self.entry:
            raise IndexCorruptError(f"{ruleset_id}/{book_id} was written while it was read; load it again")

    @cached_property
    def model(self) -> Embedder:
        """The embedder of these vectors, for questions.

        Raises:
            UnknownNameError: no embedder is called as the model is.
            EmbedderMismatchError: its vectors have other dimensions than these.
        """
        found = load_embedder(self.model_id)
        if found.identity.dimensions != self.embeddings.shape[1]:
            raise EmbedderMismatchError(
                f"vectors of {self.model_id} have {self.embeddings.shape[1]} dimensions here, and "
                f"{found.identity.dimensions} by the model; export again"
            )
        return found

    def _aligned(self, store: ArtifactStore, book: BookKey) -> Vector:
        vectors = {each.chunk_id: each.embedding for each in store.embeddings(book, self.model_id)}
        if not vectors:
            there = ", ".join(store.models(book)) or "none"
            raise IndexMissingError(f"{book.book_id} has no vectors of model {self.model_id!r}; there are: {there}")
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
        ruleset_id: with `book_id`, which book.
        book_id: slug of the book.
        model_id: whose vectors; None: of the model that the book was written with last.
        mongo_uri: `mongodb://HOST:PORT/DATABASE`; None: what QUERYMUST_MONGO_URI says.

    Raises:
        IndexMissingError: the server cannot be reached; or as `EmbeddingLoader`.
        IndexCorruptError: as `EmbeddingLoader`.
        UnreadableSettingsError: no server is named, or the address is none.
    """

    def __init__(
        self, ruleset_id: str, book_id: str, model_id: str | None = None, mongo_uri: str | None = None
    ) -> None:
        with closing(MongoStore.open(mongo_uri)) as store:
            super().__init__(store, ruleset_id, book_id, model_id)


def _adjacency(edges: Iterable[GraphEdge]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for edge in edges:
        found.setdefault(edge.source_id, set()).add(edge.target_id)
        found.setdefault(edge.target_id, set()).add(edge.source_id)
    return found
