"""The only file that imports MongoDB's client: the artifact tables as collections of one database."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from retrieval.artifacts.artifacts import (
    CHUNKS,
    CONFIGS,
    EDGES,
    EMBEDDINGS,
    ENTRIES,
    NODES,
    OF_A_BOOK,
    TABLES,
    BookArtifacts,
    BookKey,
    ChunkEmbedding,
    Document,
    Record,
    StoredTraversalConfig,
    Table,
    TraversalIndexEntry,
    document_of,
    record_of,
)
from retrieval.artifacts.store import BATCH, ArtifactStore
from retrieval.errors import StoreUnavailableError, UnreadableSettingsError, VectorDBWriteError
from retrieval.files.versions import install

if TYPE_CHECKING:
    from pymongo.database import Database

Query = dict[str, Any]

URI = "QUERYMUST_MONGO_URI"
"""Environment variable with the server's address, so that a password is in no file or process list."""
DATABASE = "querymust"
"""The default database. Each library needs its own."""
_WAITING = "serverSelectionTimeoutMS"
_SECONDS = 5
"""Seconds to wait for a server, unless the address specifies it."""


class MongoStore(ArtifactStore):
    """An artifact store in a database of MongoDB; see `ArtifactStore`.

    Args:
        database: of a client that is aware of time zones.
        name: its name in errors, without a password.

    Raises:
        StoreUnavailableError: the server cannot be reached, or refuses.
    """

    def __init__(self, database: Database[Document], name: str = "the MongoDB database") -> None:
        self._database, self.name = database, name
        with self._translating_errors():
            for table in TABLES:
                for index in table.indexes:
                    database[table.name].create_index(list(index.fields), unique=index.unique, name=index.name)

    @classmethod
    def open(cls, uri: str | None = None, environment: Mapping[str, str] = os.environ) -> MongoStore:
        """Open the store on a server.

        Args:
            uri: `mongodb://HOST:PORT/DATABASE`; None: the value of QUERYMUST_MONGO_URI.
            environment: with that variable.

        Raises:
            UnreadableSettingsError: no address is given, or it is invalid.
            StoreUnavailableError: the client is not installed, or the server cannot be reached.
        """
        address = uri or environment.get(URI)
        if not address:
            raise UnreadableSettingsError(
                f"no MongoDB database is configured; set {URI} to mongodb://HOST:PORT/DATABASE"
            )
        try:
            from pymongo import MongoClient
            from pymongo.errors import PyMongoError
        except ImportError as error:
            raise StoreUnavailableError.not_installed("MongoDB", install("mongo")) from error
        # The parts before an @ or after a ? may be secret, and the client's messages may repeat them.
        shown = address.rpartition("@")[2].rpartition("//")[2].partition("?")[0]
        try:
            # A keyword argument would take precedence over the address.
            waiting: dict[str, Any] = {} if _WAITING.lower() in address.lower() else {_WAITING: _SECONDS * 1000}
            client: MongoClient[Document] = MongoClient(address, tz_aware=True, **waiting)
            database = client.get_default_database(DATABASE)
        except (PyMongoError, ValueError):
            raise UnreadableSettingsError(
                f"{shown!r} is not an address like mongodb://HOST:PORT/DATABASE, or its host is unknown; fix it"
            ) from None
        try:
            return cls(database, f"the MongoDB at {shown}")
        except BaseException:
            client.close()
            raise

    def replace_book(self, book: BookArtifacts) -> None:
        """Replace a book; its entry is marked complete after all of it is written."""
        entry, key = book.entry, book.entry.book
        of_book, of_run = key._asdict(), {**key._asdict(), "run_id": entry.run_id}
        with self._translating_errors():
            entries = self._database[ENTRIES.name]
            entries.replace_one(of_run, {**document_of(entry), "complete": False}, upsert=True)
            entries.delete_many({**of_book, "run_id": {"$ne": entry.run_id}})
            self._replace(CHUNKS, of_book, book.chunks)
            now = self._replace_embeddings({**of_book, "model_id": entry.model_id}, book.embeddings)
            self._replace(NODES, of_book, book.nodes)
            self._replace(EDGES, of_book, book.edges)
            self._remove_stale({**of_book, "model_id": {"$ne": entry.model_id}}, now)
            self._require_counts(entry)
            entries.update_one(of_run, {"$set": {"complete": entry.complete}})

    def remove_book(self, book: BookKey) -> None:
        """Remove all records of a book."""
        with self._translating_errors():
            # The entry is removed last, so that a partly removed book is still listed.
            for table in (*OF_A_BOOK, ENTRIES):
                self._database[table.name].delete_many(book._asdict())

    def models(self, book: BookKey) -> tuple[str, ...]:
        """Return the models of a book's vectors."""
        with self._translating_errors():
            return tuple(sorted(self._database[EMBEDDINGS.name].distinct("model_id", book._asdict())))

    def close(self) -> None:
        """Close the connection."""
        self._database.client.close()

    def _replace(self, table: Table[Any], query: Query, records: Iterable[object]) -> None:
        collection = self._database[table.name]
        collection.delete_many(query)
        # Replacing documents one by one would take a round trip each, and a bulk of replacements is not faster.
        for batch in _batches(map(document_of, records)):
            collection.insert_many(batch)

    def _replace_embeddings(self, query: Query, embeddings: Iterable[ChunkEmbedding]) -> dict[str, str]:
        """Write vectors, and return the text hash of each chunk that has one."""
        now: dict[str, str] = {}

        def noted() -> Iterator[ChunkEmbedding]:
            for embedding in embeddings:
                now[embedding.chunk_id] = embedding.metadata.text_hash
                yield embedding

        self._replace(EMBEDDINGS, query, noted())
        return now

    def _remove_stale(self, others: Query, now: Mapping[str, str]) -> None:
        collection = self._database[EMBEDDINGS.name]
        kept = collection.find(others, {"chunk_id": 1, "metadata.text_hash": 1})
        stale = (
            embedding["_id"]
            for embedding in kept
            if now.get(embedding["chunk_id"]) != embedding["metadata"]["text_hash"]
        )
        for batch in _batches(stale):
            collection.delete_many({"_id": {"$in": batch}})

    def _require_counts(self, entry: TraversalIndexEntry) -> None:
        counts = (entry.n_chunks, entry.n_chunks, entry.n_nodes, entry.n_edges)
        of_run = {**entry.book._asdict(), "run_id": entry.run_id}
        for table, number in zip(OF_A_BOOK, counts, strict=True):
            of_model = {"model_id": entry.model_id} if table is EMBEDDINGS else {}
            documents = self._database[table.name].count_documents({**of_run, **of_model})
            if documents != number:
                raise VectorDBWriteError(
                    f"{table.name} of {entry.ruleset_id}/{entry.book_id} are {documents}, "
                    f"not {number} as the entry says; "
                    "nobody reads them as they are; export again, and let one program write at a time"
                )

    def _replace_config(self, config: StoredTraversalConfig) -> None:
        key = {"ruleset_id": config.ruleset_id, "version": config.version}
        with self._translating_errors():
            self._database[CONFIGS.name].replace_one(key, document_of(config), upsert=True)

    def _records(self, table: Table[Record], values: Mapping[str, str]) -> Iterator[Record]:
        where = f"{table.name} in {self.name}"
        with self._translating_errors():
            cursor = self._database[table.name].find(values, {"_id": 0}).sort([(field, 1) for field in table.key])
            for document in cursor.allow_disk_use(True):
                yield record_of(document, table.record, where)

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        from pymongo.errors import BulkWriteError, DuplicateKeyError, PyMongoError

        try:
            yield
        except (BulkWriteError, DuplicateKeyError) as error:
            raise VectorDBWriteError(
                f"{self.name}: a record with that key belongs to another book, or another program is writing; "
                "a database is for one library: name another, or export again"
            ) from error
        except PyMongoError as error:
            first = str(error).partition(" (configured")[0]
            raise StoreUnavailableError.of(self.name, first, f"start it, or fix {URI}") from error


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    remaining = iter(records)
    while batch := list(islice(remaining, BATCH)):
        yield batch
