"""The chunks of a snapshot by the region that their vector is in: a search looks at the regions near a question.

::

    regions/centres.npy   (regions, dimensions), each of length 1
            guarded.npy   whether the chunks of each region are guarded: none holds both kinds
            starts.npy    where the chunks of each region begin
            chunks.npy    positions, region by region, rising in each
            vectors.npy   those of the chunks, in that order

All are mapped: processes that read one snapshot share them. The vectors are here a second time, because those that lie
side by side are compared in a quarter of the time. A small library has no regions; every vector of it is compared.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import Integers, load_array, save_array
from retrieval.errors import IndexCorruptError
from retrieval.index.regions.dividing import divided
from retrieval.ragged import RaggedArray
from retrieval.types import Vector

UNDIVIDED: int = 32_768
"""Up to so many chunks every vector is compared sooner than regions are looked up and read."""
SIZE: int = 128
"""Chunks that a region is to have; some have a few, few have more than twice as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Every chunk is in one region, among others of its kind.

    Chunks whose query_must always asks are apart, as in the collections: a question admits few of them, and the regions
    near it would be full of the others.
    """

    centres: Vector
    """(regions, dimensions)."""
    guarded: npt.NDArray[np.bool_]
    """(regions,)."""
    chunks: RaggedArray[np.int32]
    """Those of each region, rising."""
    vectors: Vector
    """(n, dimensions), aligned with the items of `chunks`."""

    @classmethod
    def build(cls, vectors: Vector, guarded: npt.NDArray[np.bool_]) -> "Regions":
        """Divide vectors, (n, dimensions), the guarded apart, (n,); the same give the same regions."""
        centres, kinds, sizes, order = [vectors[:0]], [guarded[:0]], [_NONE], [_NONE]
        for kind in (False, True):
            members = np.flatnonzero(guarded == kind)
            if len(members) and len(vectors) > UNDIVIDED:
                found, region = divided(vectors[members], SIZE)
                centres.append(found)
                kinds.append(np.full(len(found), kind))
                sizes.append(np.bincount(region, minlength=len(found)))
                order.append(members[np.argsort(region, kind="stable")])
        items = np.concatenate(order).astype(np.int32)
        chunks = RaggedArray.of_sizes(np.concatenate(sizes), items)
        return cls(np.concatenate(centres), np.concatenate(kinds), chunks, vectors[items])

    def __len__(self) -> int:
        return len(self.centres)

    def nearest_first(self, vector: Vector, *, guarded_too: bool = True) -> Integers:
        """The regions, that with the nearest centre first; equals by their number."""
        order: Integers = np.argsort(-(self.centres @ vector), kind="stable")
        return order if guarded_too else order[~self.guarded[order]]

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        save_array(folder / "centres.npy", self.centres)
        save_array(folder / "guarded.npy", self.guarded)
        self.chunks.save(folder, "chunks")
        save_array(folder / "vectors.npy", self.vectors)

    @classmethod
    def load(cls, folder: Path) -> "Regions":
        """Map what `save` wrote.

        Raises:
            IndexCorruptError: a file is missing or another array, or they do not fit each other.
        """
        centres, vectors = (load_array(folder / f"{name}.npy", np.float32) for name in ("centres", "vectors"))
        guarded = load_array(folder / "guarded.npy", np.bool_)
        loaded = cls(centres, guarded, RaggedArray.load(folder, np.int32, "chunks"), vectors)
        n_regions, n_chunks = len(loaded.chunks), len(loaded.chunks.items)
        if not centres.shape[:1] == guarded.shape == (n_regions,) or vectors.shape != (n_chunks, *centres.shape[1:]):
            raise IndexCorruptError(
                f"{folder} has {n_regions} regions of {n_chunks} chunks, and centres, kinds and vectors of the shapes "
                f"{centres.shape}, {guarded.shape} and {vectors.shape}; build the index again"
            )
        return loaded


_NONE = np.zeros(0, dtype=np.int64)
