"""Chroma collections of other programs, and collections filled for them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from retrieval.errors import (
    EmbedderMismatchError,
    IndexMissingError,
    InvalidDocumentError,
    StoreUnavailableError,
    UnknownNameError,
    UnreadableSettingsError,
)
from retrieval.index.chroma.store import BATCH, DATABASE, ChromaServer, close, embedded, remote
from retrieval.types import Chunk, MetadataValue, Vector

CHROMA_FOLDER = "chroma"
"""Where Chroma itself keeps its files if it is not told otherwise."""


class QueryableCollection(Protocol):
    """What a search needs of a collection; Chroma's has it."""

    @property
    def name(self) -> str:
        """What it is called; vocabularies are given by it."""

    def query(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """Nearest records to `query_embeddings`: `ids`, `distances`, `metadatas`, `documents`, one list a question."""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What can be said of somebody else's collection before it is asked anything. Key: name."""

    name: str
    records: int
    guarded: int
    """Records whose metadata have a `query_must`."""
    dimensions: int | None
    """Of its vectors; None where it is empty."""


class CollectionClient(Protocol):
    """What is needed of a client; Chroma's have it."""

    def list_collections(self) -> Sequence[Any]:
        """Every collection; each has a `name`."""

    def get_collection(self, name: str, embedding_function: Any = None) -> Any:
        """The collection of that name."""


@contextmanager
def open_chroma(place: str | Path) -> Iterator[CollectionClient]:
    """A client for collections that somebody else filled; closed behind the block. It makes nothing.

    Args:
        place: a folder of Chroma's files, or a server's address, `http://HOST:PORT`.

    Raises:
        IndexMissingError: the folder holds no database.
        StoreUnavailableError: no server answers.
        IndexCorruptError: Chroma cannot read the folder.
    """
    server = server_of(str(place))
    if server is None and not (Path(place) / DATABASE).is_file():
        raise IndexMissingError(
            f"{place} holds no {DATABASE}; give the folder that Chroma keeps its files in, or http://HOST:PORT"
        )
    try:
        client = remote(server) if server else embedded(str(place))
    except StoreUnavailableError as error:
        raise no_server_at(place, error) from error
    try:
        yield cast(CollectionClient, client)
    finally:
        close(client, over_http=server is not None)


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
    records = collection.count()
    guarded = 0
    for start in range(0, records, BATCH):
        batch = collection.get(limit=BATCH, offset=start, include=["metadatas"])["metadatas"]
        guarded += sum("query_must" in (metadata or {}) for metadata in batch)
    first = collection.get(limit=1, include=["embeddings"])["embeddings"]
    return CollectionFacts(name, records, guarded, len(first[0]) if len(first) else None)


def no_server_at(place: Path | str, error: StoreUnavailableError) -> StoreUnavailableError:
    """The error of a place that the caller gave, where nobody answers."""
    return StoreUnavailableError.of(f"the Chroma server at {place}", error.__cause__, "start it, or give another place")


def server_of(place: str) -> ChromaServer | None:
    """The server of an address; None of a folder.

    Raises:
        IndexMissingError: it is no address of a server.
    """
    if "://" not in place:
        return None
    try:
        return ChromaServer.of(place, "")
    except UnreadableSettingsError as error:
        raise IndexMissingError(f"{place!r} is no address of a Chroma server; write http://HOST:PORT") from error


def fill(place: str | Path, name: str, chunks: Sequence[Chunk], vectors: Vector, *, truncate: bool = False) -> int:
    """Put chunks into a collection, which is made where it is missing; how many records it has then.

    A record has the chunk's text, title, place and metadata, and its `query_must` as JSON text. `contain_no_rival`
    asks nothing there, since it needs an index that knows the tables.

    Args:
        place: a folder of Chroma's files, made where it is missing, or a server's address.
        name: of the collection.
        chunks: with ids of their own.
        vectors: (len(chunks), dimensions), aligned with the chunks.
        truncate: whether what the collection holds goes first.

    Raises:
        EmbedderMismatchError: the collection has vectors of another length.
        IndexCorruptError: Chroma cannot read the folder.
        StoreUnavailableError: no server answers.
        InvalidDocumentError: Chroma takes no collection of that name.
    """
    server = server_of(str(place))
    try:
        client = remote(server) if server else embedded(str(place))
    except StoreUnavailableError as error:
        raise no_server_at(place, error) from error
    try:
        if truncate and name in {collection.name for collection in client.list_collections()}:
            client.delete_collection(name)
        configuration = cast(Any, {"hnsw": {"space": "cosine"}})
        collection = client.get_or_create_collection(name, embedding_function=None, configuration=configuration)
        for start in range(0, len(chunks), BATCH):
            batch = chunks[start : start + BATCH]
            collection.upsert(
                ids=[chunk.id for chunk in batch],
                embeddings=vectors[start : start + BATCH],
                documents=[chunk.text for chunk in batch],
                metadatas=cast(Any, [_metadata(chunk) for chunk in batch]),
            )
        return collection.count()
    except Exception as error:
        if "dimension" in str(error).lower():
            raise EmbedderMismatchError(
                f"collection {name!r} has vectors of another length ({error}); empty it with --truncate, or take the "
                "embedder that filled it"
            ) from error
        if isinstance(error, ValueError) or type(error).__name__ == "InvalidArgumentError":
            raise InvalidDocumentError(f"Chroma takes no collection {name!r} ({error})") from error
        raise
    finally:
        close(client, over_http=server is not None)


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
        "is_noisy": chunk.query_must is not None,
    }
    return known | ({"query_must": chunk.query_must} if chunk.query_must else {})
