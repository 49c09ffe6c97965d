"""The only file that imports Milvus's client: fills and searches the collection of a snapshot.

A record's key is the position of its chunk. Its words are the numbers of its terms in the snapshot's lexical index, so
that Milvus's own analysis changes nothing: BM25 counts the same words there as here.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from retrieval.errors import StoreUnavailableError, UnreadableSettingsError, VectorDBWriteError
from retrieval.files.versions import install
from retrieval.types import Chunk, Vector

SCHEMES = {"milvus+http": "http", "milvus+https": "https"}
TOKEN = "QUERYMUST_MILVUS_TOKEN"  # noqa: S105
"""Environment variable with `USER:PASSWORD` or an API key, because a setting would store it in a file."""
_LIBRARY = "querymust"
_NAME = re.compile(r"[A-Za-z_]\w{0,99}")


@dataclass(frozen=True, slots=True)
class MilvusServer:
    """The place of one snapshot's chunks on a server, `milvus+http://HOST:PORT/LIBRARY`."""

    uri: str
    """The server's address in the form that its client expects."""
    library: str
    """Alias of the live collection, and prefix of every collection's name; each library on a server needs its own."""
    snapshot: str
    """Id of the snapshot, with which the name of its collection ends."""
    token: str = field(default="", repr=False)

    @property
    def collection(self) -> str:
        """The name of the snapshot's collection."""
        return f"{self.library}_{self.snapshot}"

    @classmethod
    def of(cls, store: str | None, snapshot: str, environment: Mapping[str, str] = os.environ) -> MilvusServer | None:
        """Return the server in the setting `store`; None if it is not set and candidates come from our own files.

        Raises:
            UnreadableSettingsError: the setting is not such an address.
        """
        if not store:
            return None
        try:
            parts = urlsplit(store)
            host, port = parts.hostname, parts.port or 19530
        except ValueError:
            host, port, parts = None, 0, urlsplit("")
        library = parts.path.strip("/") or _LIBRARY
        if parts.scheme not in SCHEMES or not host or not _NAME.fullmatch(library) or parts.username:
            # The part before an @ may contain a password.
            shown = store.rpartition("@")[2]
            raise UnreadableSettingsError(
                f"store is {shown!r}, not an address like milvus+http://127.0.0.1:19530 or "
                f"milvus+http://HOST:PORT/LIBRARY; fix it, and put a password into {TOKEN}"
            )
        where = f"[{host}]" if ":" in host else host
        return cls(f"{SCHEMES[parts.scheme]}://{where}:{port}", library, snapshot, environment.get(TOKEN, ""))


MOST = 16_384
"""The largest number of records that Milvus returns at once."""
LONGEST = 65_000
"""The largest number of bytes in a text; Milvus accepts 65,535."""
_BATCH = 500
"""Records in one request: Milvus refuses more than 64 MB."""
_K1, _B = 1.5, 0.75
_M, _EF = 32, 400
"""The same HNSW parameters as in `retrieval.index.chroma`."""
_UNHURRIED = {"grpc.keepalive_time_ms": 330_000, "grpc.keepalive_permit_without_calls": False}
"""By default the client pings every 10 seconds; a server that allows one ping in five minutes disconnects it."""

Positions = npt.NDArray[np.int64]
Record = Mapping[str, Any]


class MilvusStore:
    """The collection of one snapshot on a server.

    Args:
        server: of the collection.

    Raises:
        StoreUnavailableError: the client is not installed, or the server cannot be reached.
    """

    def __init__(self, server: MilvusServer) -> None:
        self._server, self._name = server, server.collection
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise StoreUnavailableError.not_installed("Milvus", install("milvus")) from error
        # The client logs the stack of each error that it raises.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        with self._translating_errors():
            self._client = MilvusClient(uri=server.uri, token=server.token, grpc_options=_UNHURRIED)

    def create(self, dimensions: int) -> None:
        """Create an empty collection, dropping one of that name, which a killed build may have left."""
        from pymilvus import DataType, Function, FunctionType

        client = self._client
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("position", DataType.INT64, is_primary=True)
        schema.add_field("guarded", DataType.BOOL)
        schema.add_field("id", DataType.VARCHAR, max_length=256)
        for name in ("title", "text", "query_must"):
            schema.add_field(name, DataType.VARCHAR, max_length=65_535)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
        schema.add_field(
            "words",
            DataType.VARCHAR,
            max_length=65_535,
            enable_analyzer=True,
            analyzer_params={"tokenizer": "standard"},
        )
        schema.add_field("weights", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(Function("bm25", FunctionType.BM25, ["words"], ["weights"]))
        indexes = client.prepare_index_params()
        indexes.add_index(
            "vector", index_type="HNSW", metric_type="COSINE", params={"M": _M, "efConstruction": _EF // 2}
        )
        indexes.add_index(
            "weights",
            index_type="SPARSE_INVERTED_INDEX",
            metric_type="BM25",
            params={"bm25_k1": _K1, "bm25_b": _B},
        )
        with self._written():
            if client.has_collection(self._name):
                client.drop_collection(self._name)
            client.create_collection(self._name, schema=schema, index_params=indexes, consistency_level="Strong")

    def add(self, records: Iterable[Record]) -> Iterator[int]:
        """Add records in batches, and yield the size of each. They can be searched after the last."""
        batch: list[Record] = []
        with self._written():
            for record in records:
                batch.append(record)
                if len(batch) == _BATCH:
                    self._client.insert(self._name, batch)
                    yield len(batch)
                    batch = []
            if batch:
                self._client.insert(self._name, batch)
                yield len(batch)
            self._client.flush(self._name)
            self._client.load_collection(self._name)

    def count(self) -> int | None:
        """Return the number of records, or None if there is no collection."""
        with self._translating_errors():
            if not self._client.has_collection(self._name):
                return None
            self._client.load_collection(self._name)
            return int(self._client.query(self._name, filter="", output_fields=["count(*)"])[0]["count(*)"])

    def nearest(self, vector: Vector, k: int, condition: str) -> Positions:
        """Return the positions of the k nearest records that meet a condition, nearest first."""
        return self._search([vector.tolist()], "vector", k, condition, _near(min(k, MOST)))

    def worded(self, words: str, k: int, condition: str) -> Positions:
        """Return the positions of the k best records by BM25, with any of the words, that meet a condition."""
        return self._search([words], "weights", k, condition, {"metric_type": "BM25"})

    def both(self, vector: Vector, words: str, k: int, condition: str) -> Positions:
        """Return what `nearest` and `worded` find, each record once, with a single request."""
        from pymilvus import AnnSearchRequest, RRFRanker

        depth = min(k, MOST // 2)
        requests = [
            AnnSearchRequest([vector.tolist()], "vector", _near(depth), limit=depth, expr=condition),
            AnnSearchRequest([words], "weights", {"metric_type": "BM25"}, limit=depth, expr=condition),
        ]
        with self._translating_errors():
            hits = self._client.hybrid_search(
                self._name, requests, RRFRanker(), limit=2 * depth, output_fields=["position"]
            )
            return _positions(hits[0])

    def go_live(self) -> None:
        """Point the library's alias at this collection, atomically: searches use the previous one or this one."""
        alias, client = self._server.library, self._client
        aliased = self.live() is not None
        with self._written():
            (client.alter_alias if aliased else client.create_alias)(self._name, alias)

    def live(self) -> str | None:
        """Return the collection that the library's alias points at, or None."""
        alias = self._server.library
        with self._translating_errors():
            every = self._client.list_collections()
            return next((name for name in every if alias in self._client.list_aliases(name)["aliases"]), None)

    def drop_others(self, known: Sequence[str]) -> None:
        """Drop the library's collections, except the live one, this one and those of known snapshots."""
        stay = {f"{self._server.library}_{snapshot}" for snapshot in known} | {self._name, self.live()}
        of_library = re.compile(rf"{self._server.library}_[0-9a-f]{{16}}")
        with self._written():
            for name in self._client.list_collections():
                if of_library.fullmatch(name) and name not in stay:
                    self._client.drop_collection(name)

    def close(self) -> None:
        """Close the socket."""
        with suppress(Exception):  # the socket is released either way
            self._client.close()

    def _search(self, queries: list[Any], field: str, k: int, condition: str, how: Record) -> Positions:
        with self._translating_errors():
            hits = self._client.search(
                self._name,
                queries,
                anns_field=field,
                limit=min(k, MOST),
                filter=condition,
                output_fields=["position"],
                search_params=how,
            )
            return _positions(hits[0])

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        from pymilvus.exceptions import MilvusException

        try:
            yield
        except MilvusException as error:
            raise StoreUnavailableError.of(
                f"{self._name!r} of the Milvus server at {self._server.uri}",
                error.message,
                "start it, then build again with the same `store`, which fills it",
            ) from error

    @contextmanager
    def _written(self) -> Iterator[None]:
        from pymilvus.exceptions import MilvusException

        try:
            yield
        except MilvusException as error:
            raise VectorDBWriteError(
                f"{self._name!r} could not be written at {self._server.uri} ({error.message}); see that Milvus runs "
                "and has room, and run the same again"
            ) from error


def _near(k: int) -> dict[str, Any]:
    return {"metric_type": "COSINE", "params": {"ef": max(_EF, k)}}


def _positions(records: Iterable[Mapping[str, Any]]) -> Positions:
    return np.asarray([record["position"] for record in records], dtype=np.int64)


Tell = Callable[[str, int, int], None]

PROBES = 20
"""Chunks that are searched by their own vector to check a filled collection."""
_SAME = 1e-3


def fill(
    server: MilvusServer,
    chunks: Sequence[Chunk],
    vectors: Vector,
    guarded: npt.NDArray[np.bool_],
    words: Callable[[str], str],
    known: Sequence[str],
    tell: Tell,
) -> None:
    """Put the chunks of a snapshot into their collection, unless all of them are already there.

    Nobody searches it before it is complete: its name contains the id of the snapshot, which is not live yet.

    Args:
        server: the server, and the snapshot.
        chunks: in the order of their ids.
        vectors: (n, dimensions), aligned with the chunks.
        guarded: (n,) whether each chunk has a query_must that always asks.
        words: returns the words of a chunk's `search_text`, in the form in which questions are sent.
        known: ids of the home's snapshots; the collections of all others are dropped.
        tell: called as the work goes on.

    Raises:
        StoreUnavailableError: the server cannot be reached.
        VectorDBWriteError: it cannot be written, or does not find what was written to it.
    """
    with closing(MilvusStore(server)) as store:
        store.drop_others(known)
        if store.count() == len(chunks):
            return
        store.create(vectors.shape[1])
        done = 0
        tell("milvus", 0, len(chunks))
        for added in store.add(_records(chunks, vectors, guarded, words)):
            done += added
            tell("milvus", done, len(chunks))
        _require_whole(store, server, vectors)


def holds(server: MilvusServer, n_chunks: int) -> bool:
    """Whether a server answers and has `n_chunks` chunks of a snapshot."""
    try:
        with closing(MilvusStore(server)) as store:
            return store.count() == n_chunks
    except StoreUnavailableError:
        return False


def _records(
    chunks: Sequence[Chunk], vectors: Vector, guarded: npt.NDArray[np.bool_], words: Callable[[str], str]
) -> Iterator[dict[str, Any]]:
    for position, chunk in enumerate(chunks):
        yield {
            "position": position,
            "guarded": bool(guarded[position]),
            "id": chunk.id,
            "title": _cut(chunk.title),
            "text": _cut(chunk.text),
            "query_must": chunk.query_must or "",
            "vector": vectors[position],
            "words": words(chunk.search_text),
        }


def _cut(text: str) -> str:
    return text.encode()[:LONGEST].decode("utf-8", "ignore")


def _require_whole(store: MilvusStore, server: MilvusServer, vectors: Vector) -> None:
    n = len(vectors)
    if (count := store.count()) != n:
        raise VectorDBWriteError(
            f"{server.collection!r} at {server.uri} has {count} records instead of {n}; run the same again"
        )
    for position in np.random.default_rng(0).choice(n, size=min(PROBES, n), replace=False).tolist():
        nearest = store.nearest(vectors[position], 1, "")
        if not len(nearest) or float(vectors[position] @ vectors[nearest[0]]) < 1.0 - _SAME:
            raise VectorDBWriteError(
                f"{server.collection!r} at {server.uri} does not find record {position} by its own vector; "
                "run the same again"
            )
