"""Fills the two collections of a snapshot, and looks whether they are full."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError, RetrievalError
from retrieval.index.chroma.server import ChromaServer
from retrieval.index.chroma.soundness import collection_faults, members
from retrieval.index.chroma.store import ChromaStore
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
        for name, places in members(guarded).items():
            store.create(name)
            part = [chunks[place] for place in places]
            for added in store.add(name, [chunk.id for chunk in part], vectors[places], list(map(_metadata, part))):
                done += added
                tell("collections", done, len(chunks))
    finally:
        store.close()


def collections_are_whole(
    folder: Path, server: ChromaServer | None, chunks: Sequence[Chunk], vectors: Vector, guarded: Guarded
) -> bool:
    """Whether the collections hold exactly these chunks: Chroma can keep a record and lose its vector.

    Every vector is read back, as `verify_snapshot` does: what that complains of, a build must mend. 10,000 of 256
    dimensions take 0.4 s embedded, and 0.8 s from a server on the same machine.

    Args:
        folder: of Chroma's files, where it is embedded.
        server: asked instead, if there is one.
        chunks: in the order of their ids.
        vectors: (n, dimensions), aligned.
        guarded: (n,) which chunks have a query_must.

    Raises:
        IndexMissingError: the server cannot be reached.
    """
    try:
        store = ChromaStore.existing(folder, server)
    except IndexCorruptError:
        return False
    try:
        return not any(collection_faults(store, lambda place: chunks[place].id, vectors, guarded))
    except RetrievalError:
        return False
    finally:
        store.close()


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
