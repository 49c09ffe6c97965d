"""What an artifact store can do. `SqliteStore` is a file, `MongoStore` a database on a server."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from re import findall

from retrieval.artifacts.artifacts import (
    CHUNKS,
    CONFIGS,
    EDGES,
    EMBEDDINGS,
    ENTRIES,
    NODES,
    BookArtifacts,
    BookKey,
    ChunkEmbedding,
    EnrichedChunk,
    GraphEdge,
    GraphNode,
    Record,
    StoredTraversalConfig,
    Table,
    TraversalIndexEntry,
)
from retrieval.errors import IndexCorruptError, IndexMissingError

BATCH = 500
"""Records written at once."""


class ArtifactStore(ABC):
    """The artifact tables. All methods raise StoreUnavailableError where the store cannot be reached.

    Records come in the order of their keys. A book is written as one: until all of it is there its entry is not
    complete, and afterwards nothing of an earlier run is left.
    """

    @abstractmethod
    def replace_book(self, book: BookArtifacts) -> None:
        """Write a book in place of what the store has of it.

        Vectors of other models stay where their chunk is there with the same text hash.

        Raises:
            VectorDBWriteError: a chunk is another book's, or the counts are not those of the entry.
        """

    @abstractmethod
    def remove_book(self, book: BookKey) -> None:
        """Remove all that there is of a book; its ruleset's config stays."""

    def entries(self) -> tuple[TraversalIndexEntry, ...]:
        """An entry for each book, whether complete or not."""
        return tuple(self._records(ENTRIES, {}))

    def chunks(self, book: BookKey) -> Iterator[EnrichedChunk]:
        """A book's chunks."""
        return self._records(CHUNKS, book._asdict())

    def embeddings(self, book: BookKey, model_id: str) -> Iterator[ChunkEmbedding]:
        """A book's vectors by one model."""
        return self._records(EMBEDDINGS, {**book._asdict(), "model_id": model_id})

    @abstractmethod
    def models(self, book: BookKey) -> tuple[str, ...]:
        """The models that a book has vectors of."""

    def nodes(self, book: BookKey) -> Iterator[GraphNode]:
        """A book's nodes."""
        return self._records(NODES, book._asdict())

    def edges(self, book: BookKey) -> Iterator[GraphEdge]:
        """A book's edges: those whose source is in it."""
        return self._records(EDGES, book._asdict())

    def save_config(self, config: StoredTraversalConfig) -> None:
        """Keep a config. One of its key that was there keeps its `created_at`, and `updated_at` where they agree."""
        before = next((stored for stored in self.configs(config.ruleset_id) if stored.version == config.version), None)
        if before is not None:
            kept = replace(config, created_at=before.created_at)
            config = before if replace(kept, updated_at=before.updated_at) == before else kept
        self._replace_config(config)

    def configs(self, ruleset_id: str) -> tuple[StoredTraversalConfig, ...]:
        """The configs of a ruleset, the newest version first: v10 before v9."""
        configs = self._records(CONFIGS, {"ruleset_id": ruleset_id})
        return tuple(sorted(configs, key=lambda config: _counted(config.version), reverse=True))

    @abstractmethod
    def close(self) -> None:
        """Let go of the file or the server."""

    @abstractmethod
    def _records(self, table: Table[Record], values: Mapping[str, str]) -> Iterator[Record]:
        """The records of a table that have these values, in the order of its key."""

    @abstractmethod
    def _replace_config(self, config: StoredTraversalConfig) -> None:
        """Write a config in place of the one of its key."""


def complete_entry(store: ArtifactStore, book: BookKey) -> TraversalIndexEntry:
    """The entry of a book that can be read.

    Raises:
        IndexMissingError: the store has no such book; lists those that it has.
        IndexCorruptError: the book is being written, or that was broken off.
    """
    entries = {entry.book: entry for entry in store.entries()}
    if book not in entries:
        there = ", ".join(f"{entry.ruleset_id}/{entry.book_id}" for entry in sorted(entries)) or "none"
        raise IndexMissingError(
            f"no artifacts of book {book.book_id!r} of ruleset {book.ruleset_id!r}; there are: {there}; "
            "write them: querymust export"
        )
    if not entries[book].complete:
        raise IndexCorruptError(
            f"the artifacts of {book.ruleset_id}/{book.book_id} are being written, or that was broken off; "
            "try again, or write them again: querymust export"
        )
    return entries[book]


def stored_config(store: ArtifactStore, ruleset_id: str, version: str | None = None) -> StoredTraversalConfig:
    """A ruleset's config of a version; without one the newest.

    Raises:
        IndexMissingError: there is none; lists the versions that there are.
    """
    configs = store.configs(ruleset_id)
    chosen = next((config for config in configs if version in {None, config.version}), None)
    if chosen is None:
        there = ", ".join(config.version for config in configs) or "none"
        which = f"traversal config {version!r}" if version else "traversal config"
        raise IndexMissingError(f"ruleset {ruleset_id!r} has no {which}; there are: {there}; write: querymust export")
    return chosen


def _counted(version: str) -> tuple[tuple[int, int, str], ...]:
    parts = findall(r"\d+|\D+", version)
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts)
