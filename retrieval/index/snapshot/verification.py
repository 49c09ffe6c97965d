"""Tries a snapshot before it may go live."""

from collections.abc import Iterator

import numpy as np

from retrieval.errors import RetrievalError
from retrieval.index.chroma.soundness import NAMES, Fault, collection_faults
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.strategy import DEFAULT_K

MIN_RECALL = 0.99
_SAME = 1e-4
"""Chroma's cosine distance of a vector to itself differs from 0 by rounding."""


def verify_snapshot(snapshot: Snapshot, *, probes: int = 200, seed: int = 0) -> tuple[Fault, ...]:
    """Everything wrong with a snapshot; empty when it may be promoted.

    Compares the hashes of its files, counts the collections, reads every stored vector back, asks for `probes`
    chunks by their own vector, and measures the approximate search against the exact scan.
    """
    try:
        return (*_files(snapshot), *_collections(snapshot), *_probes(snapshot, probes, seed), *_recall(snapshot, seed))
    except RetrievalError as error:
        return (Fault("counts", str(error)),)


def ann_recall(snapshot: Snapshot, *, k: int = DEFAULT_K, sample: int = 100, seed: int = 0) -> float:
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


def _files(snapshot: Snapshot) -> Iterator[Fault]:
    for sentence in snapshot.manifest.disagreements(snapshot.folder, hashes=True):
        yield Fault("files", sentence)


def _collections(snapshot: Snapshot) -> Iterator[Fault]:
    guarded = np.asarray(snapshot.predicates.guarded)
    return collection_faults(snapshot.collections, snapshot.chunks.id_at, snapshot.vectors, guarded)


def _probes(snapshot: Snapshot, probes: int, seed: int) -> Iterator[Fault]:
    guarded = np.asarray(snapshot.predicates.guarded)
    strange = []
    for position in _sample(len(snapshot), probes, seed):
        name = NAMES[int(guarded[position])]
        # Its nearest neighbour may be a twin with the very same vector: a distance of zero is what counts.
        nearest = snapshot.collections.nearest(name, snapshot.vectors[position], 1)
        if not nearest.distances or nearest.distances[0] > _SAME:
            strange.append(snapshot.chunks.id_at(position))
    if strange:
        yield Fault("probes", f"{len(strange)} of {probes} chunks do not find themselves, the first is {strange[0]}")


def _recall(snapshot: Snapshot, seed: int) -> Iterator[Fault]:
    recall = ann_recall(snapshot, seed=seed)
    if recall < MIN_RECALL:
        yield Fault("recall", f"the collections find {recall:.1%} of the true neighbours, not {MIN_RECALL:.0%}")


def _sample(size: int, wanted: int, seed: int) -> list[int]:
    chosen = np.random.default_rng(seed).choice(size, size=min(size, wanted), replace=False)
    return sorted(int(position) for position in chosen)
