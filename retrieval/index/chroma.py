"""Chroma, and nothing else imports it: collections filled for other programs, and collections that others filled.

No search of a snapshot asks Chroma. Its collections hold what is live for whoever reads Chroma, and can be filled again
at any time. It is imported when a location is first opened, because that takes longer than most searches.
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
"""Where Chroma itself keeps its files if it is not told otherwise."""
BATCH = 5000
"""Chroma refuses more than 5,461 records in one call."""
_HNSW = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 400}
"""On 100,000 near-twin rows of 256 dimensions, Chroma's own settings (16, 100, 100) found 94 % of the 15 true
neighbours, and none at all for some questions; these, filled in random order, found 98 to 100 %."""
VERSION = "content_hash"
"""Of a record's metadata: hash of its chunk and vector, by which a record that changed is known."""


class QueryableCollection(Protocol):
    """What a search needs of a collection; Chroma's has it."""

    @property
    def name(self) -> str:
        """What it is called; vocabularies are given by it."""

    def query(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """Nearest records to `query_embeddings`: `ids`, `distances`, `metadatas`, `documents`, one list a question."""


class CollectionClient(Protocol):
    """What is needed of a client; Chroma's have it."""

    def list_collections(self) -> Sequence[Any]:
        """Every collection; each has a `name`."""

    def get_collection(self, name: str, embedding_function: Any = None) -> Any:
        """The collection of that name."""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What can be said of a collection before it is asked anything. Key: name."""

    name: str
    records: int
    guarded: int
    """Records whose metadata have a `query_must`."""
    dimensions: int | None
    """Of its vectors; None where it is empty."""


@contextmanager
def open_chroma(location: str | Path) -> Iterator[CollectionClient]:
    """A client for collections that are there; closed behind the block. It makes nothing.

    Args:
        location: a folder of Chroma's files, or a server's address, `http://HOST:PORT`.

    Raises:
        IndexMissingError: the folder holds no database.
        StoreUnavailableError: no server answers.
        IndexCorruptError: Chroma cannot read the folder.
    """
    if not is_address(location) and not (Path(location) / DATABASE).is_file():
        raise IndexMissingError(
            f"{location} holds no {DATABASE}; give the folder that Chroma keeps its files in, or http://HOST:PORT"
        )
    with _client(location) as client:
        yield cast(CollectionClient, client)


def collection_named(client: CollectionClient, name: str) -> QueryableCollection:
    """A client's collection, without an embedder: who asks brings the vector.

    Raises:
        UnknownNameError: no collection is called that; lists those that exist.
    """
    known = [collection.name for collection in client.list_collections()]
    if name not in known:
        raise UnknownNameError("collection", name, known)
    queryable_collection: QueryableCollection = client.get_collection(name, embedding_function=None)
    return queryable_collection


def facts(client: CollectionClient) -> tuple[CollectionFacts, ...]:
    """Every collection of a client, by name; the metadata of all their records are read."""
    names = sorted(collection.name for collection in client.list_collections())
    return tuple(_facts(name, client.get_collection(name, embedding_function=None)) for name in names)


def _facts(name: str, collection: Any) -> CollectionFacts:
    records = [metadata or {} for _, metadata in _records(collection)]
    first = collection.get(limit=1, include=["embeddings"])["embeddings"]
    guarded = sum("query_must" in metadata for metadata in records)
    return CollectionFacts(name, len(records), guarded, len(first[0]) if len(first) else None)


def _records(collection: Any) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Id and metadata of every record."""
    for start in range(0, collection.count(), BATCH):
        page = collection.get(limit=BATCH, offset=start, include=["metadatas"])
        yield from zip(page["ids"], page["metadatas"], strict=True)


def fill(location: str | Path, name: str, chunks: Sequence[Chunk], vectors: Vector, *, truncate: bool = False) -> int:
    """Put chunks into a collection, which is made where it is missing; how many records it has then.

    A record has the chunk's text, title, place and metadata, and its `query_must` as JSON text. `contain_no_rival`
    asks nothing there, since it needs an index that knows the tables.

    Args:
        location: a folder of Chroma's files, made where it is missing, or a server's address.
        name: of the collection.
        chunks: with ids of their own.
        vectors: (len(chunks), dimensions), aligned with the chunks.
        truncate: whether what the collection holds goes first.

    Raises:
        EmbedderMismatchError: the collection has vectors of another length.
        IndexCorruptError: Chroma cannot read the folder.
        StoreUnavailableError: no server answers.
        InvalidDocumentError: Chroma takes no collection of that name.
        VectorDBWriteError: Chroma could not write, on a full disk for one.
    """
    with _client(location) as client, _writing(location, name):
        if truncate:
            _delete(client, name)
        collection = _collection(client, name)
        _put(collection, _made(chunks, vectors))
        return int(collection.count())


def mirror(location: str | Path, name: str, chunks: Sequence[Chunk], vectors: Vector, owner: str) -> int:
    """Bring a collection to hold these chunks and no others; how many records came, went or changed.

    What was interrupted goes on where it stood when it is called again.

    Args:
        location: a folder of Chroma's files, made where it is missing, or a server's address.
        name: of the collection; one that has vectors of another length is made anew.
        chunks: with ids of their own.
        vectors: (len(chunks), dimensions), aligned with the chunks.
        owner: whose collection it is: the records of another owner's stay.

    Raises:
        InvalidDocumentError: the collection of that name is another owner's.
        IndexCorruptError: Chroma cannot read the folder.
        StoreUnavailableError: no server answers.
        VectorDBWriteError: Chroma could not write, on a full disk for one.
    """
    with _client(location) as client, _writing(location, name):
        collection = _collection(client, name, owner)
        if (holder := (collection.metadata or {}).get("owner")) != owner:
            raise InvalidDocumentError(
                f"collection {name!r} of {location} is filled by {holder or 'another program'}; name another place in "
                "rag.yaml as `chroma`, or delete the collection"
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
    """The records of some chunks, in their order."""
    return [_record(chunk, vector) for chunk, vector in zip(chunks, vectors, strict=True)]


def _record(chunk: Chunk, vector: Vector) -> _Record:
    metadata = _metadata(chunk)
    digest = sha256(repr((chunk.text, sorted(metadata.items()))).encode())
    digest.update(vector.tobytes())
    return _Record(chunk.id, chunk.text, vector, metadata | {VERSION: digest.hexdigest()[:16]})


def _put(collection: Any, records: Sequence[_Record]) -> None:
    # Rows of one table put in together link to one another only, and a search that begins elsewhere passes them by.
    shuffled = [records[at] for at in np.random.default_rng(0).permutation(len(records))]
    for start in range(0, len(shuffled), BATCH):
        batch = shuffled[start : start + BATCH]
        ids = [record.id for record in batch]
        # Chroma's own `upsert` keeps metadata that a record no longer has, its query_must for one.
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
        # Put back where few are left, a row that passes unless a rival is named would be missing where it answers.
        "is_noisy": always_asks(chunk.query_must),
    }
    return known | ({"query_must": chunk.query_must} if chunk.query_must else {})


@contextmanager
def _writing(location: str | Path, name: str) -> Iterator[None]:
    try:
        yield
    except RetrievalError:
        raise
    except Exception as error:  # Chroma's own and SQLite's have nothing else in common
        if "dimension" in str(error).lower():
            raise EmbedderMismatchError(
                f"collection {name!r} has vectors of another length ({error}); empty it with --truncate, or take the "
                "embedder that filled it"
            ) from error
        if isinstance(error, ValueError) or type(error).__name__ == "InvalidArgumentError":
            raise InvalidDocumentError(f"Chroma takes no collection {name!r} ({error})") from error
        raise VectorDBWriteError(
            f"Chroma could not write {location} ({type(error).__name__}: {error}); make room there, and run it again"
        ) from error


def is_address(location: str | Path) -> bool:
    """Whether a location is the address of a server, and not a folder."""
    return "://" in str(location)


@contextmanager
def _client(location: str | Path) -> Iterator[Client]:
    """Chroma on a folder, made when missing, or on a server; files and sockets are let go of behind the block."""
    client = _remote(str(location)) if is_address(location) else embedded(str(location))
    try:
        yield client
    finally:
        client.close()
        if is_address(location):
            # Chroma leaves sockets open: a client has a session of its own, and one for its tenant.
            left = cast(Any, client)
            left._server._session.close()
            left._admin_client._server._session.close()


def embedded(folder: str) -> Client:
    """Chroma on a folder of its files, made when missing. Raises IndexCorruptError."""
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        client = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
        return cast("Client", client)
    except Exception as error:
        if folder not in SharedSystemClient._identifier_to_refcount:
            # Chroma keeps what failed to start, and gives it out again for this folder when that has been fixed.
            SharedSystemClient._identifier_to_system.pop(folder, None)
        raise IndexCorruptError(
            f"Chroma cannot read {folder} ({type(error).__name__}: {error}); delete that folder, and fill it again"
        ) from error


def _remote(location: str) -> Client:
    import chromadb
    from chromadb.config import Settings

    if (server := chroma_server(location)) is None:
        raise IndexMissingError(f"{location!r} is no address of a Chroma server; write http://HOST:PORT")
    host, port, ssl = server
    try:
        client = chromadb.HttpClient(host, port, ssl, settings=Settings(anonymized_telemetry=False))
        return cast("Client", client)
    except Exception as error:
        raise StoreUnavailableError.of(
            f"the Chroma server at {location}", error, "start it, or give another place"
        ) from error
