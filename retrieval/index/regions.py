"""Chunks by region of the vector space (spherical k-means), so that a search reads only regions near the question.

::

    regions/centres.npy   (regions, dimensions), each of length 1
            guarded.npy   whether the chunks of each region are guarded: no region has both kinds
            chunks.npy    positions, region by region, ascending in each; `chunks.starts.npy`: where each region begins
            vectors.npy   those of the chunks, in that order

All files are memory-mapped, so processes that read one snapshot share them. The vectors are stored a second time
because contiguous ones are compared in a quarter of the time. A small library has no regions: all of its vectors are
compared.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import Integers, RaggedArray
from retrieval.types import Vector

SAMPLED: Final = 24
"""Sampled vectors for each centre, from which the centres are computed."""
ROUNDS: Final = 5
"""Iterations of k-means. More of them hardly improved the share of true neighbours found."""
_BLOCK: Final = 4096
"""Vectors compared with all centres at once."""


def divided(vectors: Vector, size: int, seed: int = 0) -> tuple[Vector, Integers]:
    """Return the centres, (regions, dimensions), each of length 1, and the region of each vector, (n,).

    The vectors are first divided into regions of twice the size on average; then each region larger than that is
    divided again, so that a search of the nearest regions does not read a few crowded ones.

    Args:
        vectors: (n, dimensions), normalised; at least one.
        size: intended number of vectors in a region.
        seed: of the samples and of the initial centres.
    """
    coarse, region = around_centres(vectors, max(1, len(vectors) // (2 * size)), seed)
    order = np.argsort(region, kind="stable")
    starts = np.searchsorted(region[order], np.arange(len(coarse) + 1))
    centres: list[Vector] = []
    begun, fine = 0, np.empty(len(vectors), dtype=np.int64)
    for number in range(len(coarse)):
        members = order[starts[number] : starts[number + 1]]
        own, part = coarse[number : number + 1], np.zeros(len(members), dtype=np.int64)
        if len(members) > 2 * size:
            own, part = around_centres(vectors[members], len(members) // size, seed)
        centres.append(own)
        fine[members] = begun + part
        begun += len(own)
    return np.concatenate(centres), fine


def around_centres(vectors: Vector, n_regions: int, seed: int) -> tuple[Vector, Integers]:
    """Return the centres, (n_regions, dimensions), each of length 1, and the centre nearest to each vector, (n,).

    Of two equally near centres, the first is taken. A centre that is nearest to no vector does not move.

    Args:
        vectors: (n, dimensions), normalised.
        n_regions: at least 1, at most n.
        seed: of the sample and of the initial centres.
    """
    random = np.random.default_rng(seed)
    drawn = np.sort(random.choice(len(vectors), min(len(vectors), SAMPLED * n_regions), replace=False))
    sample = vectors[drawn]
    centres = sample[np.sort(random.choice(len(sample), n_regions, replace=False))]
    for _ in range(ROUNDS):
        centres = _moved(centres, sample, _nearest(sample, centres))
    return centres, _nearest(vectors, centres)


def _moved(centres: Vector, vectors: Vector, region: Integers) -> Vector:
    """Return each centre moved to the direction of the mean of its vectors."""
    order = np.argsort(region, kind="stable")
    occupied = np.flatnonzero(np.bincount(region, minlength=len(centres)))
    moved: Vector = centres.copy()
    sums = np.add.reduceat(vectors[order], np.searchsorted(region[order], occupied), axis=0)
    length = np.linalg.norm(sums, axis=1)
    # The sum of opposite vectors has no direction.
    directed = length > 0
    moved[occupied[directed]] = sums[directed] / length[directed, None]
    return moved


def _nearest(vectors: Vector, centres: Vector) -> Integers:
    nearest = np.empty(len(vectors), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        nearest[start : start + _BLOCK] = np.argmax(vectors[start : start + _BLOCK] @ centres.T, axis=1)
    return nearest


UNDIVIDED: int = 32_768
"""Chunks up to which comparing every vector is faster than reading regions."""
SIZE: int = 128
"""Intended number of chunks in a region; some have only a few, and few have more than twice as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """The chunks divided into regions, each of which contains only guarded or only other chunks.

    Chunks whose query_must always asks are kept apart: a question admits few of them, and they would fill the
    regions near it.
    """

    centres: Vector
    """(regions, dimensions)."""
    guarded: npt.NDArray[np.bool_]
    """(regions,): whether the chunks of each region are guarded."""
    chunks: RaggedArray[np.int32]
    """The chunks of each region, ascending."""
    vectors: Vector
    """(n, dimensions), aligned with the items of `chunks`."""

    def __post_init__(self) -> None:
        centres, kinds, vectors = self.centres.shape, self.guarded.shape, self.vectors.shape
        n_regions, n_chunks = len(self.chunks), len(self.chunks.items)
        if not centres[:1] == kinds == (n_regions,) or vectors != (n_chunks, *centres[1:]):
            raise ValueError(
                f"{n_regions} regions of {n_chunks} chunks, and centres, kinds and vectors of the shapes {centres}, "
                f"{kinds} and {vectors}"
            )

    @classmethod
    def build(cls, vectors: Vector, guarded: npt.NDArray[np.bool_]) -> "Regions":
        """Divide vectors, (n, dimensions), into regions, with those that are `guarded`, (n,), apart. Deterministic."""
        centres, kinds, sizes, order = [vectors[:0]], [guarded[:0]], [_NONE], [_NONE]
        for kind in (False, True):
            members = np.flatnonzero(guarded == kind)
            if len(members) and len(vectors) > UNDIVIDED:
                cut, region = divided(vectors[members], SIZE)
                centres.append(cut)
                kinds.append(np.full(len(cut), kind))
                sizes.append(np.bincount(region, minlength=len(cut)))
                order.append(members[np.argsort(region, kind="stable")])
        positions = np.concatenate(order).astype(np.int32)
        chunks = RaggedArray.of_sizes(np.concatenate(sizes), positions)
        return cls(np.concatenate(centres), np.concatenate(kinds), chunks, vectors[positions])

    def __len__(self) -> int:
        return len(self.centres)

    def nearest_first(self, vector: Vector, *, guarded_too: bool = True) -> Integers:
        """Return the regions by the distance of their centres, nearest first; equals by number."""
        order: Integers = np.argsort(-(self.centres @ vector), kind="stable")
        return order if guarded_too else order[~self.guarded[order]]


_NONE = np.zeros(0, dtype=np.int64)
