"""Filtering before the search: what is admitted is known before a collection is asked.

Chunks whose query_must always asks are in the guarded collection; of those the compiled predicates name the few that
this question admits, and they are scored exactly. All others are in the open collection, which is asked plainly; where
the question keeps rows out because it names others, for so many more neighbours that k are left.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from retrieval.files.arrays import Integers
from retrieval.index.chroma.soundness import NAMES
from retrieval.index.chroma.store import CollectionName
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.compiled.exclusions import CompiledExclusions
from retrieval.search.cosines import similarity
from retrieval.search.fusion import Leg, Positions, Ranking, best
from retrieval.types import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """What query_must says of one question: of the few chunks that it decides, not of all."""

    guarded: Integers
    """Chunks of the guarded collection whose query_must the question satisfies, rising."""
    kept_out: CompiledExclusions
    """Chunks of either collection that are kept out because the question names a rival of theirs."""

    def mask(self, snapshot: Snapshot, where: Mask | None = None) -> Mask:
        """(n,): True for every chunk that may come back: query_must holds, and the caller's filter passes it."""
        mask = ~np.asarray(snapshot.predicates.guarded)
        mask[self.guarded] = True
        mask[self.kept_out.positions] = False
        return mask if where is None else mask & where


FEW: Final = 4096
"""So many chunks are scored exactly in the time of one question to the collection."""

MOST: Final = 400
"""More neighbours than this cost the collection more than the exact scan of 100,000 vectors costs us."""

_MORE: Final = 4
"""So many times more neighbours are asked for where too few pass: the nearest may be just those that do not."""

_EQUAL: Final = 1e-5
"""Chroma computes in single precision: distances no further apart may be those of equal vectors."""


def nearest_in(
    snapshot: Snapshot, name: CollectionName, vector: Vector, k: int, seen: frozenset[str] = frozenset()
) -> Positions:
    """Positions of at least the k nearest chunks of one collection that were not seen yet, in no particular order.

    Chroma's graph may give fewer than there are; the exact scan then gives the rest. Of equals at the k-th place it
    gives any, so it is asked for more until the last it gives is further away. A small library is scanned at once.
    """
    if snapshot.scans:
        return _scan(snapshot, name, vector, k, seen)
    left = snapshot.collection_size(name) - len(seen)
    wanted = k + 1
    while True:
        near = snapshot.collections.nearest(name, vector, wanted, excluding=seen)
        if len(near.ids) < min(wanted, left):
            return _scan(snapshot, name, vector, k, seen)
        if len(near.ids) == left or near.distances[-1] - near.distances[k - 1] > _EQUAL:
            return snapshot.chunks.positions(near.ids)
        wanted *= 4
        if wanted > MOST:
            return _scan(snapshot, name, vector, k, seen)


def nearest_where(snapshot: Snapshot, name: CollectionName, vector: Vector, k: int, where: Mask | None) -> Positions:
    """Positions of at least the k nearest chunks of one collection that pass a caller's filter, in no order.

    Filter first where few pass: all of them are scored. Search first where many do: the collection is asked for more,
    and what does not pass is dropped. Between the two, every vector is compared.
    """
    if where is None:
        return nearest_in(snapshot, name, vector, k)
    members = where & (np.asarray(snapshot.predicates.guarded) == (name == "guarded"))
    count = int(np.count_nonzero(members))
    if count <= FEW:
        return np.flatnonzero(members)
    wanted = 2 * k * snapshot.collection_size(name) // count
    if wanted <= MOST:
        nearest = nearest_in(snapshot, name, vector, wanted)
        passing: Positions = nearest[members[nearest]]
        if len(passing) >= k:
            return passing
    return best(similarity(snapshot.vectors, vector), k, members)


def nearest_unfiltered(snapshot: Snapshot, vector: Vector, k: int, where: Mask | None = None) -> Ranking:
    """The k nearest chunks, query_must ignored: both collections asked and merged."""
    matches = [nearest_where(snapshot, name, vector, k, where) for name in NAMES]
    return by_distance(snapshot, np.concatenate(matches), vector, k)


def nearest_admitted(
    snapshot: Snapshot, vector: Vector, k: int, admitted: Admission, where: Mask | None = None
) -> Ranking:
    """The k nearest chunks among those that the question's predicates let through.

    Args:
        snapshot: where to search.
        vector: (dimensions,).
        k: how many; that many come back where they exist.
        admitted: what query_must says of the question.
        where: (n,) the chunks that the caller's filter passes; None: all.
    """
    guarded = admitted.guarded[~admitted.kept_out.among(admitted.guarded)]
    guarded = guarded if where is None else guarded[where[guarded]]
    candidates = np.concatenate([_nearest_open(snapshot, vector, k, admitted, where), guarded])
    return by_distance(snapshot, candidates, vector, k)


def _nearest_open(snapshot: Snapshot, vector: Vector, k: int, admitted: Admission, where: Mask | None) -> Positions:
    """Positions of at least the k nearest chunks of the open collection that may come back, in no order."""
    if admitted.kept_out.is_empty:
        return nearest_where(snapshot, "open", vector, k, where)
    # Few questions keep out what is near, and what is kept out may be most of a library: only what is found is asked.
    wanted = 2 * k
    while where is None and wanted <= MOST:
        nearest = nearest_in(snapshot, "open", vector, wanted)
        passing: Positions = nearest[~admitted.kept_out.among(nearest)]
        if len(passing) >= k:
            return passing
        wanted *= _MORE
    mask = np.ones(len(snapshot), dtype=np.bool_) if where is None else where.copy()
    mask[admitted.kept_out.positions] = False
    return nearest_where(snapshot, "open", vector, k, mask)


def by_distance(snapshot: Snapshot, positions: Positions, vector: Vector, k: int) -> Ranking:
    """The k nearest of these chunks by exact distance, then id: equal wherever a chunk was found."""
    scores = similarity(snapshot.vectors[positions], vector)
    order = np.lexsort((positions, -scores))[:k]
    score = scores[order]
    return Ranking(positions[order], score, {"dense": score}, [Leg(score, name="dense")])


def _scan(snapshot: Snapshot, name: CollectionName, vector: Vector, k: int, seen: frozenset[str]) -> Positions:
    members = np.asarray(snapshot.predicates.guarded) == (name == "guarded")
    members[snapshot.chunks.positions(sorted(seen))] = False
    return best(similarity(snapshot.vectors, vector), k, members)
