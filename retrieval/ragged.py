"""Lists of different lengths as two flat arrays: what every index is made of."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from retrieval.arrays import Integers, Scalar, load_array, save_array
from retrieval.errors import IndexCorruptError

Keys = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class RaggedArray(Generic[Scalar]):
    """The list of key k is items[starts[k]:starts[k + 1]]; keys are 0 .. len(self) - 1.

    What else there is to say of each item is in an array beside `items`, in the same order: `span` and `places`
    index that one too.
    """

    starts: Integers
    """Shape (keys + 1,), rising from 0 to len(items)."""
    items: npt.NDArray[Scalar]
    """All lists, end to end."""

    @classmethod
    def build(cls, lists: Collection[Collection[int]], dtype: type[Scalar]) -> "RaggedArray[Scalar]":
        """Lay lists end to end, in the order of their keys."""
        sizes = [len(items) for items in lists]
        return cls.of_sizes(sizes, np.fromiter(chain.from_iterable(lists), dtype, count=sum(sizes)))

    @classmethod
    def of_sizes(cls, sizes: "Sequence[int] | Keys", items: npt.NDArray[Scalar]) -> "RaggedArray[Scalar]":
        """Lists that already lie end to end, by the size of each."""
        starts = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(sizes, out=starts[1:])
        return cls(starts, items)

    @staticmethod
    def invert(lists: Sequence[Sequence[int]], n_items: int) -> "RaggedArray[np.int64]":
        """For each of the items 0 .. n_items - 1, the keys of the lists that hold it, rising."""
        forward = RaggedArray.build(lists, np.int64)
        order = np.argsort(forward.items, kind="stable")
        return RaggedArray.of_sizes(np.bincount(forward.items, minlength=n_items), forward.owners()[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, key: int) -> npt.NDArray[Scalar]:
        return self.items[self.starts[key] : self.starts[key + 1]]

    def span(self, first: int, stop: int | None = None) -> slice:
        """Where the items of one key are, or those of the keys first .. stop - 1."""
        return slice(self.starts[first], self.starts[first + 1 if stop is None else stop])

    def sizes(self, keys: Keys) -> Integers:
        """How many items each key has."""
        sizes: Integers = self.starts[keys + 1] - self.starts[keys]
        return sizes

    def owners(self) -> Integers:
        """The key of each item, aligned with `items`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def places(self, keys: Keys) -> Integers:
        """Where the items of these keys are, end to end in the order of `keys`."""
        sizes = self.sizes(keys)
        ends = np.cumsum(sizes)
        return np.repeat(self.starts[keys] - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)

    def gather(self, keys: Keys) -> npt.NDArray[Scalar]:
        """The items of these keys, end to end in the order of `keys`."""
        return self.items[self.places(keys)]

    def save(self, folder: Path, items: str, starts: str = "starts") -> None:
        """Write the two arrays to `<items>.npy` and `<starts>.npy`."""
        save_array(folder / f"{starts}.npy", self.starts)
        save_array(folder / f"{items}.npy", self.items)

    @classmethod
    def load(cls, folder: Path, dtype: type[Scalar], items: str, starts: str = "starts") -> "RaggedArray[Scalar]":
        """Map what `save` wrote under these names.

        Raises:
            IndexCorruptError: a file is missing, is another array, or the two do not fit each other.
        """
        loaded = cls(load_array(folder / f"{starts}.npy", np.int64), load_array(folder / f"{items}.npy", dtype))
        if loaded.starts.ndim != 1 or loaded.items.ndim != 1 or not len(loaded.starts):
            raise IndexCorruptError(f"{folder / items}.npy and its starts are not flat; build the index again")
        if loaded.starts[-1] != len(loaded.items):
            raise IndexCorruptError(
                f"{folder / items}.npy has {len(loaded.items)} items, which do not fit starts that end at "
                f"{loaded.starts[-1]}; build the index again"
            )
        return loaded
