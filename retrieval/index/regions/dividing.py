"""Vectors divided into regions by spherical k-means on a sample, always the same for the same vectors.

I. S. Dhillon, D. S. Modha, "Concept Decompositions for Large Sparse Text Data using Clustering", Machine Learning 42
(2001). To search what is near a question alone is the inverted file of J. Sivic, A. Zisserman, "Video Google" (2003).
"""

from typing import Final

import numpy as np

from retrieval.arrays import Integers
from retrieval.types import Vector

SAMPLED: Final = 24
"""Vectors for each centre that the centres are found with."""
ROUNDS: Final = 5
"""Times that the centres move. More found hardly more of the true neighbours."""
_BLOCK: Final = 4096
"""Vectors that are compared with all centres at once."""


def divided(vectors: Vector, size: int, seed: int = 0) -> tuple[Vector, Integers]:
    """The centres, (regions, dimensions), each of length 1, and the region of each vector, (n,).

    First into regions of twice the size on average; then each that has become larger than that is divided again, so
    that a search which looks through the nearest is not led into a few crowds.

    Args:
        vectors: (n, dimensions), normalised; at least one.
        size: vectors that a region is to have.
        seed: of the samples, and of the vectors that the centres begin as.
    """
    coarse, region = around_centres(vectors, max(1, len(vectors) // (2 * size)), seed)
    order = np.argsort(region, kind="stable")
    starts = np.searchsorted(region[order], np.arange(len(coarse) + 1))
    centres: list[Vector] = []
    begun, found = 0, np.empty(len(vectors), dtype=np.int64)
    for number in range(len(coarse)):
        members = order[starts[number] : starts[number + 1]]
        own, part = coarse[number : number + 1], np.zeros(len(members), dtype=np.int64)
        if len(members) > 2 * size:
            own, part = around_centres(vectors[members], len(members) // size, seed)
        centres.append(own)
        found[members] = begun + part
        begun += len(own)
    return np.concatenate(centres), found


def around_centres(vectors: Vector, n_regions: int, seed: int) -> tuple[Vector, Integers]:
    """The centres, (n_regions, dimensions), each of length 1, and which is nearest to each vector, (n,).

    Of two that are as near it is the first. A centre that nothing is near stays where it is.

    Args:
        vectors: (n, dimensions), normalised.
        n_regions: at least 1, at most n.
        seed: of the sample, and of the vectors that the centres begin as.
    """
    random = np.random.default_rng(seed)
    drawn = np.sort(random.choice(len(vectors), min(len(vectors), SAMPLED * n_regions), replace=False))
    sample = vectors[drawn]
    centres = sample[np.sort(random.choice(len(sample), n_regions, replace=False))]
    for _ in range(ROUNDS):
        centres = _moved(centres, sample, _nearest(sample, centres))
    return centres, _nearest(vectors, centres)


def _moved(centres: Vector, vectors: Vector, region: Integers) -> Vector:
    """Each centre in the direction of the mean of its vectors."""
    order = np.argsort(region, kind="stable")
    held = np.flatnonzero(np.bincount(region, minlength=len(centres)))
    moved: Vector = centres.copy()
    sums = np.add.reduceat(vectors[order], np.searchsorted(region[order], held), axis=0)
    length = np.linalg.norm(sums, axis=1)
    # Opposite vectors have no direction.
    directed = length > 0
    moved[held[directed]] = sums[directed] / length[directed, None]
    return moved


def _nearest(vectors: Vector, centres: Vector) -> Integers:
    found = np.empty(len(vectors), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        found[start : start + _BLOCK] = np.argmax(vectors[start : start + _BLOCK] @ centres.T, axis=1)
    return found
