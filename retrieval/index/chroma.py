"""The only file that imports Chroma: collections filled for other programs, and collections that others filled.

No search of a snapshot uses Chroma. Its collections hold the live chunks for programs that read Chroma, and can be
refilled at any time. Chroma is imported when a location is first opened, because that takes longer than most searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from retrieval.errors import (
    EmbedderMismatchError,
    IndexCorruptError,
    IndexMissingError,
    InvalidDocumentError,
    RetrievalError,
    StoreUnavailableError,
    UnknownNameError,
    VectorDBWriteError,
)
from retrieval.query_must.operators import always_asks
from retrieval.settings import chroma_server
from retrieval.types import Chunk, MetadataValue, Vector

if TYPE_CHECKING:
    from chromadb.api.client import Client

DATABASE = "chroma.sqlite3"
CHROMA_FOLDER = "chroma"
"""The folder in which Chroma keeps its files by default."""
BATCH = 5000
"""Chroma refuses more than 5,461 records in one call."""
_HNSW = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 400}
"""On 100,000 near-twin rows of 256 dimensions, Chroma's own settings (16, 100, 100) found 94 % of the 15 true
neighbours, and none at all for some questions; these, filled in random order, found 98 to 100 %."""
VERSION = "content_hash"
"""The metadata key for the hash of a record's chunk and vector, which shows whether the record has changed."""


class QueryableCollection(Protocol):
    """The part of Chroma's collections that a search needs."""

    @property
    def name(self) -> str:
        """The collection's name, by which vocabularies are assigned."""

    def query(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """Nearest records to `query_embeddings`: `ids`, `distances`, `metadatas`, `documents`, one list a question."""


class CollectionClient(Protocol):
    """The part of Chroma's clients that is needed here."""

    def list_collections(self) -> Sequence[Any]:
        """Every collection; each has a `name`."""

    def get_collection(self, name: str, embedding_function: Any = None) -> Any:
        """The collection of that name."""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """The size and kind of a collection, known without a query. Key: name."""

    name: str
    records: int
    guarded: int
    """Records whose metadata have a `query_must`."""
    dimensions: int | None
    """Dimensions of its vectors; None if it is empty."""


@contextmanager
def open_chroma(location: str | Path) -> Iterator[CollectionClient]:
    """Yield a client for existing collections, and close it at the end of the block. Nothing is created.

    Args:
        location: a folder of Chroma's files, or a server's address, `http://HOST:PORT`.

    Raises:
        IndexMissingError: the folder holds no database.
        StoreUnavailableError: no server answers.
        IndexCorruptError: Chroma cannot read the folder.
    """
    if not is_address(location) and not (Path(location) / DATABASE).is_file():
        raise IndexMissingError(
            f"{location} holds no {DATABASE}; give the folder with Chroma's files, or http://HOST:PORT"
        )
    with _client(location) as client:
        yield cast(CollectionClient, client)


def collection_named(client: CollectionClient, name: str) -> QueryableCollection:
    """Return a client's collection, without an embedder: the caller supplies query vectors.

    Raises:
        UnknownNameError: no collection has that name; lists those that exist.
    """
    known = [collection.name for collection in client.list_collections()]
    if name not in known:
        raise UnknownNameError("collection", name, known)
    queryable_collection: QueryableCollection = client.get_collection(name, embedding_function=None)
    return queryable_collection


def facts(client: CollectionClient) -> tuple[CollectionFacts, ...]:
    """Return the facts of every collection of a client, by name. Reads the metadata of all their records."""
    names = sorted(collection.name for collection in client.list_collections())
    return tuple(_facts(name, client.get_collection(name, embedding_function=None)) for name in names)


def _facts(name: str, collection: Any) -> CollectionFacts:
    records = [metadata or {} for _, metadata in _records(collection)]
    first = collection.get(limit=1, include=["embeddings"])["embeddings"]
    guarded = sum("query_must" in metadata for metadata in records)
    return CollectionFacts(name, len(records), guarded, len(first[0]) if len(first) else None)


def _records(collection: Any) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Yield the id and metadata of every record."""
    for start in range(0, collection.count(), BATCH):
        page = collection.get(limit=BATCH, offset=start, include=["metadatas"])
        yield from zip(page["ids"], page["metadatas"], strict=True)


def fill(location: str | Path, name: str, chunks: Sequence[Chunk], vectors: Vector, *, truncate: bool = False) -> int:
    """Put chunks into a collection, created if missing, and return how many records it then has.

    A record has the chunk's text, title, place and metadata, and its `query_must` as JSON text. `contain_no_rival`
    has no effect there, since it needs an index that knows the tables.

    Args:
        location: a folder of Chroma's files, created if missing, or a server's address.
        chunks: with distinct ids.
        vectors: (len(chunks), dimensions), aligned with the chunks.
        truncate: whether to delete the collection's contents first.

    Raises:
        EmbedderMismatchError: the collection has vectors of another length.
        IndexCorruptError: Chroma cannot read the folder.
        StoreUnavailableError: no server answers.
        InvalidDocumentError: Chroma does not accept a collection of that name.
        VectorDBWriteError: Chroma could not write, for example to a full disk.
    """
    with _client(location) as client, _writing(location, name):
        if truncate:
            _delete(client, name)
        collection = _collection(client, name)
        _put(collection, _made(chunks, vectors))
        return int(collection.count())


def mirror(location: str | Path, name: str, chunks: Sequence[Chunk], vectors: Vector, owner: str) -> int:
    """Make a collection hold exactly these chunks, and return how many records were added, removed or changed.

    If it was interrupted, the next call continues where it stopped.

    Args:
        location: a folder of Chroma's files, created if missing, or a server's address.
        name: of the collection; one that has vectors of another length is created anew.
        chunks: with distinct ids.
        vectors: (len(chunks), dimensions), aligned with the chunks.
        owner: the collection's owner; a collection of another owner is left as it is.

    Raises:
        InvalidDocumentError: the collection of that name belongs to another owner.
        IndexCorruptError: Chroma cannot read the folder.
        StoreUnavailableError: no server answers.
        VectorDBWriteError: Chroma could not write, for example to a full disk.
    """
    with _client(location) as client, _writing(location, name):
        collection = _collection(client, name, owner)
        if (holder := (collection.metadata or {}).get("owner")) != owner:
            raise InvalidDocumentError(
                f"collection {name!r} of {location} is filled by {holder or 'another program'}; set another "
                "location as `chroma` in rag.yaml, or delete the collection"
            )
        first = collection.get(limit=1, include=["embeddings"])["embeddings"]
        if len(first) and len(first[0]) != vectors.shape[1]:
            _delete(client, name)
            collection = _collection(client, name, owner)
        there = {chunk_id: (metadata or {}).get(VERSION) for chunk_id, metadata in _records(collection)}
        records = _made(chunks, vectors)
        gone = sorted(there.keys() - {record.id for record in records})
        for start in range(0, len(gone), BATCH):
            collection.delete(ids=gone[start : start + BATCH])
        new = [record for record in records if there.get(record.id) != record.metadata[VERSION]]
        _put(collection, new)
        return len(gone) + len(new)


def _collection(client: Client, name: str, owner: str | None = None) -> Any:
    return client.get_or_create_collection(
        name,
        embedding_function=None,
        configuration=cast(Any, {"hnsw": _HNSW}),
        metadata={"owner": owner} if owner else None,
    )


def _delete(client: Client, name: str) -> None:
    if name in {collection.name for collection in client.list_collections()}:
        client.delete_collection(name)


@dataclass(frozen=True, slots=True, eq=False)
class _Record:
    id: str
    text: str
    vector: Vector
    metadata: dict[str, MetadataValue | list[str]]


def _made(chunks: Sequence[Chunk], vectors: Vector) -> list[_Record]:
    """Return the records of chunks, in their order."""
    return [_record(chunk, vector) for chunk, vector in zip(chunks, vectors, strict=True)]


def _record(chunk: Chunk, vector: Vector) -> _Record:
    metadata = _metadata(chunk)
    digest = sha256(repr((chunk.text, sorted(metadata.items()))).encode())
    digest.update(vector.tobytes())
    return _Record(chunk.id, chunk.text, vector, metadata | {VERSION: digest.hexdigest()[:16]})


def _put(collection: Any, records: Sequence[_Record]) -> None:
    # Rows of one table inserted together link only to one another, and a search that begins elsewhere misses them.
    shuffled = [records[at] for at in np.random.default_rng(0).permutation(len(records))]
    for start in range(0, len(shuffled), BATCH):
        batch = shuffled[start : start + BATCH]
        ids = [record.id for record in batch]
        # Chroma's own `upsert` keeps metadata that a record no longer has, for example its query_must.
        collection.delete(ids=ids)
        collection.add(
            ids=ids,
            embeddings=[record.vector for record in batch],
            documents=[record.text for record in batch],
            metadatas=[record.metadata for record in batch],
        )


def _metadata(chunk: Chunk) -> dict[str, MetadataValue | list[str]]:
    known: dict[str, MetadataValue | list[str]] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in chunk.metadata.items() if value != ()
    }
    known |= {
        "id": chunk.id,
        "title": chunk.title,
        "book": chunk.book,
        "document": chunk.document,
        "kind": chunk.kind,
        "line": chunk.lines[0],
        # A row excluded only when a rival is named is not noisy: marked so, it would be missing where it is the answer.
        "is_noisy": always_asks(chunk.query_must),
    }
    return known | ({"query_must": chunk.query_must} if chunk.query_must else {})


@contextmanager
def _writing(location: str | Path, name: str) -> Iterator[None]:
    try:
        yield
    except RetrievalError:
        raise
    except Exception as error:  # Chroma's and SQLite's errors have no other class in common
        if "dimension" in str(error).lower():
            raise EmbedderMismatchError(
                f"collection {name!r} has vectors of another length ({error}); empty it with --truncate, or use "
                "the embedder that filled it"
            ) from error
        if isinstance(error, ValueError) or type(error).__name__ == "InvalidArgumentError":
            raise InvalidDocumentError(f"Chroma does not accept the collection {name!r} ({error})") from error
        raise VectorDBWriteError(
            f"Chroma could not write {location} ({type(error).__name__}: {error}); make room there, and run it again"
        ) from error


def is_address(location: str | Path) -> bool:
    """Whether a location is a server's address rather than a folder."""
    return "://" in str(location)


@contextmanager
def _client(location: str | Path) -> Iterator[Client]:
    """Yield Chroma on a folder, created if missing, or on a server, and close its files and sockets afterwards."""
    client = _remote(str(location)) if is_address(location) else embedded(str(location))
    try:
        yield client
    finally:
        client.close()
        if is_address(location):
            # Chroma leaves sockets open: each client has a session of its own and one for its tenant.
            left = cast(Any, client)
            left._server._session.close()
            left._admin_client._server._session.close()


def embedded(folder: str) -> Client:
    """Return Chroma on a folder of its files, created if missing. Raises IndexCorruptError."""
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        client = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
        return cast("Client", client)
    except Exception as error:
        if folder not in SharedSystemClient._identifier_to_refcount:
            # Chroma caches a system that failed to start, and would return it for this folder even after a fix.
            SharedSystemClient._identifier_to_system.pop(folder, None)
        raise IndexCorruptError(
            f"Chroma cannot read {folder} ({type(error).__name__}: {error}); delete that folder, and fill it again"
        ) from error


def _remote(location: str) -> Client:
    import chromadb
    from chromadb.config import Settings

    if (server := chroma_server(location)) is None:
        raise IndexMissingError(f"{location!r} is not the address of a Chroma server; write http://HOST:PORT")
    host, port, ssl = server
    try:
        client = chromadb.HttpClient(host, port, ssl, settings=Settings(anonymized_telemetry=False))
        return cast("Client", client)
    except Exception as error:
        raise StoreUnavailableError.of(
            f"the Chroma server at {location}", error, "start it, or give another address"
        ) from error
