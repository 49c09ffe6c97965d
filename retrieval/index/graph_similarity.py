"""Chunks whose vectors are near each other: a few for each chunk, and only near ones."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from retrieval.types import Vector

THRESHOLD = 0.8
"""Cosine from which two chunks are alike."""
NEIGHBOURS = 4
"""Most that one chunk is linked to from its side."""
EXACT = 16_384
"""Up to so many chunks all pairs are compared; of more, those that share one of their two nearest pivots."""
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
    # Four times the root: comparing with pivots then costs about what comparing within groups does.
    size = int(4 * len(vectors) ** 0.5)
    pivots = np.sort(np.random.default_rng(seed).choice(len(vectors), size=min(size, len(vectors)), replace=False))
    nearest = np.empty((len(vectors), 2), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        similarity = vectors[start : start + _BLOCK] @ vectors[pivots].T
        nearest[start : start + _BLOCK] = np.argpartition(-similarity, 1, axis=1)[:, :2]
    for pivot in range(len(pivots)):
        yield np.flatnonzero((nearest == pivot).any(axis=1))


def _near(
    vectors: Vector, tables: npt.NDArray[np.int32], members: Pairs
) -> Iterator[tuple[Pairs, Pairs, npt.NDArray[np.float32]]]:
    theirs, own = vectors[members], tables[members]
    for start in range(0, len(members), _BLOCK):
        block = members[start : start + _BLOCK]
        similarity = vectors[block] @ theirs.T
        similarity[(own[start : start + _BLOCK, None] == own[None, :]) & (own[None, :] >= 0)] = -1.0
        similarity[np.arange(len(block)), np.arange(start, start + len(block))] = -1.0
        wanted = min(NEIGHBOURS, len(members) - 1)
        if wanted < 1:
            return
        best = np.argpartition(-similarity, wanted - 1, axis=1)[:, :wanted]
        scores = np.take_along_axis(similarity, best, axis=1)
        rows, columns = np.nonzero(scores >= THRESHOLD)
        yield block[rows], members[best[rows, columns]], scores[rows, columns]
