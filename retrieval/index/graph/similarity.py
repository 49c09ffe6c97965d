"""Chunks whose vectors are near each other: a few for each chunk, and only near ones."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from retrieval.types import Vector

THRESHOLD = 0.8
"""Cosine from which two chunks are alike."""
NEIGHBOURS = 4
"""Most that one chunk is linked to from its side."""
EXACT = 8_192
"""Up to this many chunks all pairs are compared; above that, those that share one of their two nearest pivots."""
_BLOCK = 512

Pairs = npt.NDArray[np.int64]


def similar_pairs(vectors: Vector, tables: npt.NDArray[np.int32], seed: int = 0) -> Pairs:
    """(pairs, 2): positions of similar chunks, the smaller first, rising, each pair once.

    Args:
        vectors: (n, dimensions), normalised.
        tables: (n,) number of each chunk's table, -1 for none; rows of one table are never paired.
        seed: of the choice of pivots.
    """
    found = [pair for members in _groups(vectors, seed) for pair in _near(vectors, tables, members)]
    if not found:
        return np.empty((0, 2), dtype=np.int64)
    sources, targets, scores = (np.concatenate(part) for part in zip(*found, strict=True))
    # A pair may come from two groups: strongest first for each source, then position.
    once = np.unique(np.stack([sources, targets], axis=1), axis=0, return_index=True)[1]
    sources, targets, scores = sources[once], targets[once], scores[once]
    order = np.lexsort((targets, -scores, sources))
    sources, targets = sources[order], targets[order]
    place = np.arange(len(sources)) - np.searchsorted(sources, sources)
    kept = place < NEIGHBOURS
    pairs: Pairs = np.unique(np.sort(np.stack([sources[kept], targets[kept]], axis=1), axis=1), axis=0)
    return pairs


def _groups(vectors: Vector, seed: int) -> Iterator[Pairs]:
    if len(vectors) <= EXACT:
        yield np.arange(len(vectors))
        return
    # On 18,430 chunks of three rulebooks twice the root finds 93 % of the pairs, eight times 90 % in smaller groups.
    size = min(int(8 * len(vectors) ** 0.5), len(vectors))
    pivots = vectors[np.sort(np.random.default_rng(seed).choice(len(vectors), size=size, replace=False))]
    nearest = np.empty((2, len(vectors)), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        similarity = vectors[start : start + _BLOCK] @ pivots.T
        rows = np.arange(len(similarity))
        for place in range(2):
            nearest[place, start : start + _BLOCK] = closest = similarity.argmax(axis=1)
            similarity[rows, closest] = -np.inf
    members = np.argsort(nearest.ravel(), kind="stable")
    ends = np.searchsorted(nearest.ravel()[members], np.arange(size + 1))
    for pivot in range(size):
        yield np.sort(members[ends[pivot] : ends[pivot + 1]] % len(vectors))


def _near(
    vectors: Vector, tables: npt.NDArray[np.int32], members: Pairs
) -> Iterator[tuple[Pairs, Pairs, npt.NDArray[np.float32]]]:
    # A chunk without a table gets one of its own, and none is its own neighbour.
    own = np.where(tables[members] >= 0, tables[members], -1 - members)
    theirs, wanted = np.ascontiguousarray(vectors[members].T), min(NEIGHBOURS, len(members) - 1)
    for start in range(0, len(members) if wanted > 0 else 0, _BLOCK):
        block = members[start : start + _BLOCK]
        similarity = vectors[block] @ theirs
        np.copyto(similarity, -1.0, where=own[start : start + _BLOCK, None] == own)
        rows = np.arange(len(block))
        for _ in range(wanted):
            # The largest a few times over is far cheaper than a partition; of equal ones the first is taken.
            best = similarity.argmax(axis=1)
            scores = similarity[rows, best]
            near = scores >= THRESHOLD
            if not near.any():
                break
            yield block[near], members[best[near]], scores[near]
            similarity[rows, best] = -1.0
