"""The only file that imports Chroma: collections, HNSW settings, and the address of a server.

Chroma is imported when a collection is first asked, because its import takes longer than most searches.
It is a derived index: vectors are kept in our own store, and a snapshot's collections can be built again from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

import numpy as np

from retrieval.errors import EmbedderMismatchError, IndexCorruptError, StoreUnavailableError, UnreadableSettingsError
from retrieval.types import Metadata, Vector

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection as ChromaCollection


@dataclass(frozen=True, slots=True)
class HnswSettings:
    """How exact the approximate search is. Chroma's own settings are 16, 100 and 100."""

    space: str = "cosine"
    max_neighbors: int = 32
    ef_construction: int = 200
    ef_search: int = 400


TRIES = (
    HnswSettings(),
    HnswSettings(max_neighbors=48, ef_construction=400),
    HnswSettings(max_neighbors=64, ef_construction=600, ef_search=600),
)
"""Tried in turn until the graphs are sound; the first is part of a snapshot's id.

On 100,000 near-twin rows of 256 dimensions, 200 questions, Chroma's own settings found 94 % of the 15 true neighbours,
and none at all for some questions. The first of these, in random order, found all in five builds of seven, 99.97 and
98 % in two; of a million rows 99.0 %. `python -m tools bench scale` measures it again. Of 6,044 chunks of a real book
it left 2 to 18 that do not find themselves in 15 builds of 16; the second left none in 6 of 6.
"""


@dataclass(frozen=True, slots=True)
class ChromaServer:
    """Where a server keeps the collections of one snapshot (`chroma run`). It has no password: keep it local."""

    host: str
    port: int
    ssl: bool
    snapshot: str
    """Id of the snapshot; begins the names of its collections."""

    @classmethod
    def of(cls, address: str | None, snapshot: str) -> ChromaServer | None:
        """The server at `http://HOST:PORT`; None when there is no address: Chroma is embedded.

        Raises:
            UnreadableSettingsError: the address is none.
        """
        if not address:
            return None
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port or 8000
        except ValueError:
            host, port = None, 0
        if not host or parts.scheme not in {"http", "https"}:
            raise UnreadableSettingsError(f"chroma is {address!r}, not an address like http://127.0.0.1:8000; fix it")
        return cls(host, port, parts.scheme == "https", snapshot)


CollectionName = Literal["open", "guarded"]
DATABASE = "chroma.sqlite3"
BATCH = 5000
"""Chroma refuses more than 5,461 records in one call."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What one collection answered, nearest first as Chroma sees it."""

    ids: tuple[str, ...]
    distances: tuple[float, ...]
    """Cosine distances by Chroma's own arithmetic; rankings use ours."""


class ChromaStore:
    """The collections of one snapshot: `open` (always passes) and `guarded` (has a query_must).

    One process writes, once; readers open what is finished, by `existing`.

    Args:
        folder: of Chroma's files, where it is embedded; made when missing.
        server: asked instead, if there is one.

    Raises:
        IndexCorruptError: the folder cannot be read.
        StoreUnavailableError: the server cannot be reached.
    """

    def __init__(self, folder: Path | None, server: ChromaServer | None = None) -> None:
        self._server = server
        self._place = f"{server.host}:{server.port}" if server else str(folder)
        self._client = remote(server) if server else embedded(str(folder))
        self._collections: dict[str, ChromaCollection] = {}

    @classmethod
    def existing(cls, folder: Path, server: ChromaServer | None = None) -> ChromaStore:
        """What was written before; Chroma alone would put an empty database where there is none.

        Raises:
            IndexCorruptError: the folder holds no database, or one that cannot be read.
            StoreUnavailableError: the server cannot be reached.
        """
        if server is None and not (folder / DATABASE).is_file():
            raise _unreadable(FileNotFoundError(f"no {DATABASE}"), "any", str(folder))
        return cls(folder, server)

    def create(self, name: CollectionName, hnsw: HnswSettings = TRIES[0]) -> None:
        """Make an empty collection; one of that name, left by a build that was killed, is deleted."""
        full = self._full(name)
        if self._server and full in {collection.name for collection in self._client.list_collections()}:
            self._client.delete_collection(full)
        self._collections[name] = self._client.create_collection(
            full, embedding_function=None, configuration=cast(Any, {"hnsw": asdict(hnsw)})
        )

    def add(
        self,
        name: CollectionName,
        ids: Sequence[str],
        vectors: Vector,
        metadata: Sequence[Metadata],
        documents: Sequence[str] | None = None,
        seed: int = 0,
    ) -> Iterator[int]:
        """Add records in batches; yields how many went in with each.

        They go in in a random order, which the seed says: rows of one table inserted together link to one another
        only, and a search that begins elsewhere may never reach them. Documents are for foreign readers: our own
        searches never ask for them.
        """
        collection = self._collection(name)
        order = np.random.default_rng(seed).permutation(len(ids)).tolist()
        for start in range(0, len(ids), BATCH):
            batch = order[start : start + BATCH]
            collection.add(
                ids=[ids[position] for position in batch],
                embeddings=vectors[batch],
                metadatas=[_plain(metadata[position]) for position in batch],
                documents=[documents[position] for position in batch] if documents else None,
            )
            yield len(batch)

    def nearest(self, name: CollectionName, vector: Vector, k: int, excluding: Collection[str] = ()) -> Neighbours:
        """The k nearest ids to one vector; fewer when the collection is smaller.

        Args:
            name: which collection.
            vector: (dimensions,).
            k: how many.
            excluding: ids that must not come back, sent as `$nin` on the metadata key `id`.

        Raises:
            IndexCorruptError: Chroma cannot read the collection.
            EmbedderMismatchError: the vector has another dimension than the collection.
        """
        collection = self._collection(name)
        where = cast(Any, {"id": {"$nin": sorted(excluding)}}) if excluding else None
        try:
            answer = collection.query(query_embeddings=vector[None, :], n_results=k, where=where, include=["distances"])
        except Exception as error:
            raise self._translated(error, name) from error
        distances = answer["distances"]
        return Neighbours(tuple(answer["ids"][0]), tuple(distances[0]) if distances else ())

    def count(self, name: CollectionName) -> int:
        """Records in a collection."""
        collection = self._collection(name)
        try:
            return collection.count()
        except Exception as error:
            raise self._translated(error, name) from error

    def vectors(self, name: CollectionName, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The stored vectors of these ids; an id that has none is left out.

        Raises:
            IndexCorruptError: Chroma lost the vectors.
        """
        try:
            answer = self._collection(name).get(ids=list(ids), include=["embeddings"])
        except Exception as error:
            raise self._translated(error, name) from error
        stored = answer["embeddings"]
        if stored is None:
            return {}
        return dict(zip(answer["ids"], np.asarray(stored, dtype=np.float32), strict=True))

    def collection(self, name: CollectionName) -> ChromaCollection:
        """Chroma's own collection, for code that speaks to Chroma directly."""
        return self._collection(name)

    def close(self) -> None:
        """Write everything out and let go of the files."""
        self._collections.clear()
        close(self._client, over_http=self._server is not None)

    def _collection(self, name: str) -> ChromaCollection:
        if name not in self._collections:
            try:
                self._collections[name] = self._client.get_collection(self._full(name), embedding_function=None)
            except Exception as error:
                raise self._translated(error, name) from error
        return self._collections[name]

    def _full(self, name: str) -> str:
        return f"{self._server.snapshot}-{name}" if self._server else name

    def _translated(
        self, error: Exception, name: str
    ) -> IndexCorruptError | StoreUnavailableError | EmbedderMismatchError:
        if "dimension" in str(error).lower():
            return EmbedderMismatchError(
                f"collection {name!r} in {self._place} refused the vector ({error}); "
                "ask with the embedder that built it"
            )
        if self._server:
            return StoreUnavailableError.of(
                f"{self._full(name)!r} of the Chroma server at {self._place}",
                f"{type(error).__name__}: {error}",
                "start it, then build again with the same `chroma` setting, which fills it",
            )
        return _unreadable(error, name, self._place)


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
        raise _unreadable(error, "any", folder) from error


def remote(server: ChromaServer) -> Client:
    """A server's client. Raises StoreUnavailableError."""
    import chromadb
    from chromadb.config import Settings

    try:
        client = chromadb.HttpClient(
            server.host, server.port, server.ssl, settings=Settings(anonymized_telemetry=False)
        )
        return cast("Client", client)
    except Exception as error:
        raise StoreUnavailableError.of(
            f"the Chroma server at {server.host}:{server.port}",
            error,
            f"start one with `chroma run --host {server.host} --port {server.port} --path DIR`, or take `chroma` out "
            "of rag.yaml and QUERYMUST_CHROMA",
        ) from error


def close(client: Client, *, over_http: bool) -> None:
    """Write everything out and let go of files and sockets."""
    client.close()
    if over_http:
        # Chroma leaves sockets open: a client has a session of its own, and one for its tenant.
        left = cast(Any, client)
        left._server._session.close()
        left._admin_client._server._session.close()


def _unreadable(error: Exception, name: str, place: str) -> IndexCorruptError:
    return IndexCorruptError(
        f"Chroma cannot read collection {name!r} in {place} ({type(error).__name__}: {error}); build the index again"
    )


def _plain(metadata: Metadata) -> Any:
    """Metadata as Chroma takes it: lists for tuples, nothing empty."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in metadata.items() if value != ()}
