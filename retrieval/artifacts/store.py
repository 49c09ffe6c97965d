"""The interface of artifact stores: `SqliteStore` is a file, `MongoStore` a database on a server."""

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
    """The artifact tables. All methods raise StoreUnavailableError if the store cannot be reached.

    Records are returned in the order of their keys. The entry of a book is not complete until all of the book is
    written, and then no records of an earlier run are left.
    """

    @abstractmethod
    def replace_book(self, book: BookArtifacts) -> None:
        """Replace a book.

        Vectors of other models are kept if their chunk still has the same text hash.

        Raises:
            VectorDBWriteError: a chunk belongs to another book, or the counts differ from those of the entry.
        """

    @abstractmethod
    def remove_book(self, book: BookKey) -> None:
        """Remove all records of a book, but not its ruleset's config."""

    def entries(self) -> tuple[TraversalIndexEntry, ...]:
        """Return an entry for each book, whether complete or not."""
        return tuple(self._records(ENTRIES, {}))

    def chunks(self, book: BookKey) -> Iterator[EnrichedChunk]:
        """Yield a book's chunks."""
        return self._records(CHUNKS, book._asdict())

    def embeddings(self, book: BookKey, model_id: str) -> Iterator[ChunkEmbedding]:
        """Yield a book's vectors by one model."""
        return self._records(EMBEDDINGS, {**book._asdict(), "model_id": model_id})

    @abstractmethod
    def models(self, book: BookKey) -> tuple[str, ...]:
        """Return the models of a book's vectors."""

    def nodes(self, book: BookKey) -> Iterator[GraphNode]:
        """Yield a book's nodes."""
        return self._records(NODES, book._asdict())

    def edges(self, book: BookKey) -> Iterator[GraphEdge]:
        """Yield a book's edges, those whose source is in it."""
        return self._records(EDGES, book._asdict())

    def save_config(self, config: StoredTraversalConfig) -> None:
        """Store a config. One with the same key passes on its `created_at`, and its `updated_at` if they are equal."""
        before = next((stored for stored in self.configs(config.ruleset_id) if stored.version == config.version), None)
        if before is not None:
            kept = replace(config, created_at=before.created_at)
            config = before if replace(kept, updated_at=before.updated_at) == before else kept
        self._replace_config(config)

    def configs(self, ruleset_id: str) -> tuple[StoredTraversalConfig, ...]:
        """Return the configs of a ruleset, the newest version first: v10 before v9."""
        configs = self._records(CONFIGS, {"ruleset_id": ruleset_id})
        return tuple(sorted(configs, key=lambda config: _counted(config.version), reverse=True))

    @abstractmethod
    def close(self) -> None:
        """Close the file or the connection."""

    @abstractmethod
    def _records(self, table: Table[Record], values: Mapping[str, str]) -> Iterator[Record]:
        """Yield the records of a table with these values, in the order of its key."""

    @abstractmethod
    def _replace_config(self, config: StoredTraversalConfig) -> None:
        """Write a config, replacing one with the same key."""


def complete_entry(store: ArtifactStore, book: BookKey) -> TraversalIndexEntry:
    """Return the entry of a complete book.

    Raises:
        IndexMissingError: the store has no such book; lists those that it has.
        IndexCorruptError: the book is being written, or writing it was interrupted.
    """
    entries = {entry.book: entry for entry in store.entries()}
    if book not in entries:
        there = ", ".join(f"{entry.ruleset_id}/{entry.book_id}" for entry in sorted(entries)) or "none"
        raise IndexMissingError(
            f"no artifacts of book {book.book_id!r} of ruleset {book.ruleset_id!r}; available: {there}; "
            "write them: querymust export"
        )
    if not entries[book].complete:
        raise IndexCorruptError(
            f"the artifacts of {book.ruleset_id}/{book.book_id} are being written, or writing was interrupted; "
            "try again, or export them again: querymust export"
        )
    return entries[book]


def stored_config(store: ArtifactStore, ruleset_id: str, version: str | None = None) -> StoredTraversalConfig:
    """Return a ruleset's config of a version, by default the newest.

    Raises:
        IndexMissingError: there is none; lists the existing versions.
    """
    configs = store.configs(ruleset_id)
    chosen = next((config for config in configs if version in {None, config.version}), None)
    if chosen is None:
        there = ", ".join(config.version for config in configs) or "none"
        which = f"traversal config {version!r}" if version else "traversal config"
        raise IndexMissingError(f"ruleset {ruleset_id!r} has no {which}; available: {there}; write: querymust export")
    return chosen


def _counted(version: str) -> tuple[tuple[int, int, str], ...]:
    parts = findall(r"\d+|\D+", version)
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts)
