"""Whether the collections hold what they should: Chroma can lose vectors without saying so."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from retrieval.index.chroma.store import ChromaStore, CollectionName
from retrieval.types import Vector

NAMES: Final[tuple[CollectionName, CollectionName]] = ("open", "guarded")
_PAGE = 1000
"""Vectors read back at once."""

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something about a snapshot that forbids promoting it."""

    check: str
    """`files`, `counts`, `vectors`, `probes` or `recall`."""
    detail: str


def members(guarded: npt.NDArray[np.bool_]) -> Mapping[CollectionName, Positions]:
    """Positions of the chunks of each collection, by which chunks have a query_must, (n,)."""
    return dict(zip(NAMES, (np.flatnonzero(~guarded), np.flatnonzero(guarded)), strict=True))


def collection_faults(
    store: ChromaStore, id_at: Callable[[int], str], vectors: Vector, guarded: npt.NDArray[np.bool_]
) -> Iterator[Fault]:
    """What of the chunks the collections do not hold: counts, then every vector read back.

    Args:
        store: the two collections.
        id_at: a chunk's id, by position.
        vectors: (n, dimensions), by position.
        guarded: (n,) which chunks have a query_must.

    Raises:
        IndexCorruptError: a collection is missing or unreadable.
        IndexMissingError: the server lacks a collection.
    """
    for name, places in members(guarded).items():
        count = store.count(name)
        if count != len(places):
            yield Fault("counts", f"collection {name!r} has {count} records instead of {len(places)}")
        lost = 0
        for start in range(0, len(places), _PAGE):
            page = places[start : start + _PAGE]
            ids = [id_at(int(position)) for position in page]
            lost += _lost(store.vectors(name, ids), ids, vectors[page])
        if lost:
            yield Fault("vectors", f"collection {name!r} lost the vectors of {lost} of {len(places)} chunks")


def _lost(stored: Mapping[str, Vector], ids: Sequence[str], vectors: Vector) -> int:
    nothing = np.full(vectors.shape[1], np.nan, dtype=np.float32)
    found = np.stack([stored.get(chunk_id, nothing) for chunk_id in ids])
    return int((~np.isclose(found, vectors, atol=1e-5)).any(axis=1).sum())
