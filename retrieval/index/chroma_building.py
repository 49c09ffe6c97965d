"""Fills the two collections of a snapshot."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexMissingError
from retrieval.index.chroma import ChromaStore, CollectionName
from retrieval.index.chroma_server import ChromaServer
from retrieval.types import Chunk, MetadataValue, Vector

Guarded = npt.NDArray[np.bool_]
Tell = Callable[[str, int, int], None]


def write_collections(
    store: ChromaStore, chunks: Sequence[Chunk], vectors: Vector, guarded: Guarded, tell: Tell
) -> None:
    """Make both collections anew, and close the store: what is written is out.

    Args:
        store: where; what has their names there is replaced.
        chunks: in the order of their ids.
        vectors: (n, dimensions), aligned.
        guarded: (n,) which chunks have a query_must.
        tell: told how the work goes on.
    """
    done = 0
    tell("collections", 0, len(chunks))
    try:
        for name, places in _members(guarded).items():
            store.create(name)
            part = [chunks[place] for place in places]
            for added in store.add(name, [chunk.id for chunk in part], vectors[places], list(map(_metadata, part))):
                done += added
                tell("collections", done, len(chunks))
    finally:
        store.close()


def write_collections_of_server(
    server: ChromaServer | None, chunks: Sequence[Chunk], vectors: Vector, guarded: Guarded, tell: Tell
) -> None:
    """Fill a server for a snapshot that exists, unless it has all of it; without a server, nothing."""
    if server is None:
        return
    store = ChromaStore(None, server)
    try:
        complete = all(store.count(name) == len(places) for name, places in _members(guarded).items())
    except IndexMissingError:
        complete = False
    if complete:
        store.close()
    else:
        write_collections(store, chunks, vectors, guarded, tell)


def _members(guarded: Guarded) -> dict[CollectionName, npt.NDArray[np.int64]]:
    return {"open": np.flatnonzero(~guarded), "guarded": np.flatnonzero(guarded)}


def _metadata(chunk: Chunk) -> dict[str, MetadataValue]:
    """What a foreign reader of the collection finds beside a vector; `$nin` works on `id`."""
    metadata: dict[str, MetadataValue] = {
        **chunk.metadata,
        "id": chunk.id,
        "book": chunk.book,
        "kind": chunk.kind,
        "title": chunk.title,
    }
    if chunk.query_must is not None:
        metadata["query_must"] = chunk.query_must
    return metadata
