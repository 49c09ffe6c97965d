"""Lists of integers by key, as two flat arrays: what a compiled index is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Key k holds items[offsets[k]:offsets[k + 1]]. Keys are 0 .. len(self) - 1."""

    offsets: Integers
    """Shape (keys + 1,), rising."""
    items: Integers

    @staticmethod
    def build(lists: Sequence[Sequence[int]]) -> "Postings":
        """Lay the lists end to end, in the order of their keys."""
        sizes = np.fromiter((len(items) for items in lists), dtype=np.int64, count=len(lists))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
        flat = np.fromiter((item for items in lists for item in items), dtype=np.int64, count=int(offsets[-1]))
        return Postings(offsets, flat)

    @staticmethod
    def invert(lists: Sequence[Sequence[int]], keys: int) -> "Postings":
        """Return, for each of `keys` items, the positions of the lists that hold it, rising."""
        forward = Postings.build(lists)
        holders = np.repeat(np.arange(len(lists), dtype=np.int64), np.diff(forward.offsets))
        order = np.argsort(forward.items, kind="stable")
        sizes = np.bincount(forward.items, minlength=keys)
        return Postings(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)]), holders[order])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def sizes(self, keys: Integers) -> Integers:
        """Return how many items each key holds."""
        sizes: Integers = self.offsets[keys + 1] - self.offsets[keys]
        return sizes

    def gather(self, keys: Integers) -> Integers:
        """Return the items of the keys, end to end."""
        sizes = self.sizes(keys)
        ends = np.cumsum(sizes)
        if not len(ends) or not ends[-1]:
            return np.zeros(0, np.int64)
        items: Integers = self.items[np.repeat(self.offsets[keys] - (ends - sizes), sizes) + np.arange(ends[-1])]
        return items

    def save(self, folder: Path, name: str) -> None:
        """Write two .npy files."""
        np.save(folder / f"{name}.offsets.npy", self.offsets, allow_pickle=False)
        np.save(folder / f"{name}.items.npy", self.items, allow_pickle=False)

    @staticmethod
    def load(folder: Path, name: str) -> "Postings":
        """Map the two files into memory. Raises OSError or ValueError if they are not what `save` wrote."""
        offsets = np.asarray(np.load(folder / f"{name}.offsets.npy", mmap_mode="r", allow_pickle=False))
        items = np.asarray(np.load(folder / f"{name}.items.npy", mmap_mode="r", allow_pickle=False))
        if offsets.ndim != 1 or items.ndim != 1 or not len(offsets) or offsets[-1] != len(items):
            raise ValueError(f"{name}: {len(items)} items do not end where the offsets say")
        return Postings(offsets, items)
