"""Fills the collection of one snapshot, and looks whether it is whole."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.errors import StoreUnavailableError, VectorDBWriteError
from retrieval.index.milvus.server import MilvusServer
from retrieval.index.milvus.store import LONGEST, MilvusStore
from retrieval.types import Chunk, Vector

Tell = Callable[[str, int, int], None]

PROBES = 20
"""Chunks that are asked for by their own vector."""
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
    """Put the chunks of a snapshot into their collection, unless all of them are there already.

    Nobody asks it until it is whole: its name has the id of the snapshot, which is not live yet.

    Args:
        server: where, and of which snapshot.
        chunks: in the order of their ids.
        vectors: (n, dimensions), aligned with the chunks.
        guarded: (n,) which chunks have a query_must that always asks.
        words: of a chunk's `search_text`, as questions will be asked.
        known: ids of the snapshots that the home has; the collections of all others go.
        tell: called as the work goes on.

    Raises:
        StoreUnavailableError: the server cannot be reached.
        VectorDBWriteError: it cannot be written, or does not find what was written.
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
    """Whether a server answers and has so many chunks of a snapshot."""
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
        found = store.nearest(vectors[position], 1, "")
        if not len(found) or float(vectors[position] @ vectors[found[0]]) < 1.0 - _SAME:
            raise VectorDBWriteError(
                f"{server.collection!r} at {server.uri} does not find record {position} by its own vector; "
                "run the same again"
            )
