"""Tries a snapshot before it may go live: Chroma can lose vectors without saying so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from retrieval.errors import RetrievalError
from retrieval.index.chroma import ChromaStore, CollectionName
from retrieval.types import Vector

if TYPE_CHECKING:
    from retrieval.index.snapshot import Snapshot

NAMES: Final[tuple[CollectionName, CollectionName]] = ("open", "guarded")
MIN_RECALL = 0.99
_PAGE = 1000
"""Vectors read back at once."""
_SAME = 1e-4
"""Chroma's cosine distance of a vector to itself differs from 0 by rounding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a snapshot that forbids promoting it."""

    check: str
    """`files`, `counts`, `vectors`, `probes` or `recall`."""
    detail: str


def verify_snapshot(snapshot: Snapshot, *, probes: int = 200, seed: int = 0) -> tuple[Finding, ...]:
    """Everything wrong with a snapshot; empty when it may be promoted.

    Compares the hashes of its files, counts the collections, reads every stored vector back, asks for `probes`
    chunks by their own vector, and measures the approximate search against the exact scan.
    """
    try:
        return (*_files(snapshot), *_collections(snapshot), *_probes(snapshot, probes, seed), *_recall(snapshot, seed))
    except RetrievalError as error:
        return (Finding("counts", str(error)),)


def ann_recall(snapshot: Snapshot, *, k: int = 15, sample: int = 100, seed: int = 0) -> float:
    """Share of the true k nearest chunks that the collections find, over chunks drawn as questions, pooled.

    A neighbour counts as true when it is no farther than the k-th nearest: near-twins tie.
    """
    vectors = np.asarray(snapshot.vectors)
    guarded = np.asarray(snapshot.predicates.guarded)
    hit = asked = 0
    for position in _sample(len(snapshot), sample, seed):
        similarity = vectors @ vectors[position]
        for name, members in zip(NAMES, (~guarded, guarded), strict=True):
            wanted = min(k, int(members.sum()))
            if not wanted:
                continue
            worst = np.sort(similarity[members])[-wanted] - 1e-6
            found = snapshot.chunks.positions(snapshot.collections.nearest(name, vectors[position], wanted).ids)
            hit += int((similarity[found] >= worst).sum())
            asked += wanted
    return hit / asked if asked else 1.0


def _files(snapshot: Snapshot) -> Iterator[Finding]:
    for sentence in snapshot.manifest.disagreements(snapshot.folder, hashes=True):
        yield Finding("files", sentence)


def _collections(snapshot: Snapshot) -> Iterator[Finding]:
    guarded = np.asarray(snapshot.predicates.guarded)
    return collection_findings(snapshot.collections, snapshot.chunks.id_at, snapshot.vectors, guarded)


def collection_findings(
    store: ChromaStore, id_at: Callable[[int], str], vectors: Vector, guarded: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
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
    for name, members in zip(NAMES, (np.flatnonzero(~guarded), np.flatnonzero(guarded)), strict=True):
        count = store.count(name)
        if count != len(members):
            yield Finding("counts", f"collection {name!r} has {count} records instead of {len(members)}")
        lost = 0
        for start in range(0, len(members), _PAGE):
            page = members[start : start + _PAGE]
            ids = [id_at(int(position)) for position in page]
            lost += _lost(store.vectors(name, ids), ids, vectors[page])
        if lost:
            yield Finding("vectors", f"collection {name!r} lost the vectors of {lost} of {len(members)} chunks")


def _lost(stored: Mapping[str, Vector], ids: Sequence[str], vectors: Vector) -> int:
    nothing = np.full(vectors.shape[1], np.nan, dtype=np.float32)
    found = np.stack([stored.get(chunk_id, nothing) for chunk_id in ids])
    return int((~np.isclose(found, vectors, atol=1e-5)).any(axis=1).sum())


def _probes(snapshot: Snapshot, probes: int, seed: int) -> Iterator[Finding]:
    guarded = np.asarray(snapshot.predicates.guarded)
    strange = []
    for position in _sample(len(snapshot), probes, seed):
        name = NAMES[int(guarded[position])]
        # Its nearest neighbour may be a twin with the very same vector: a distance of zero is what counts.
        nearest = snapshot.collections.nearest(name, snapshot.vectors[position], 1)
        if not nearest.distances or nearest.distances[0] > _SAME:
            strange.append(snapshot.chunks.id_at(position))
    if strange:
        yield Finding("probes", f"{len(strange)} of {probes} chunks do not find themselves, the first is {strange[0]}")


def _recall(snapshot: Snapshot, seed: int) -> Iterator[Finding]:
    recall = ann_recall(snapshot, seed=seed)
    if recall < MIN_RECALL:
        yield Finding("recall", f"the collections find {recall:.1%} of the true neighbours, not {MIN_RECALL:.0%}")


def _sample(size: int, wanted: int, seed: int) -> list[int]:
    chosen = np.random.default_rng(seed).choice(size, size=min(size, wanted), replace=False)
    return sorted(int(position) for position in chosen)
