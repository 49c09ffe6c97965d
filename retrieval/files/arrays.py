"""Arrays on disk, including ragged ones: written as .npy, memory-mapped, never unpickled."""

import errno
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError

Scalar = TypeVar("Scalar", bound=np.generic)
Integers = npt.NDArray[np.int64]


def begins(ordered: npt.NDArray[Scalar]) -> npt.NDArray[np.bool_]:
    """Return whether each value is the first of equal adjacent values, (n,)."""
    new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def distinct(values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return each value once, ascending; ten times as fast as `np.unique`, which hashes thousands of numbers."""
    ordered = np.sort(values)
    return ordered[begins(ordered)]


def numbered(values: npt.NDArray[Scalar]) -> tuple[npt.NDArray[Scalar], Integers]:
    """Return each value once, ascending, and the index of each value among those."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    new = begins(ordered)
    which = np.empty(len(values), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return ordered[new], which


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write one array.

    Raises:
        OSError: not all of it could be written.
    """
    try:
        np.save(path, np.ascontiguousarray(array), allow_pickle=False)
    except OSError as error:
        if error.errno is not None:
            raise
        # numpy reports how much was not written, but not why: nearly always, the disk is full.
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {error}", str(path)) from error


def load_array(path: Path, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Map one array.

    Raises:
        IndexCorruptError: there is no such file, or it does not contain such an array.
    """
    try:
        # As a plain array over the map: slicing np.memmap itself costs ten times as much.
        array: npt.NDArray[Scalar] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except Exception as error:  # a header is parsed as Python, so a damaged one may raise any error
        raise IndexCorruptError(f"{path} is not an array ({error}); build the index again") from error
    if array.dtype.type is not dtype:
        raise IndexCorruptError(f"{path} holds {array.dtype}, not {dtype.__name__}; build the index again")
    return array


Keys = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class RaggedArray(Generic[Scalar]):
    """The list of key k is items[starts[k]:starts[k + 1]]; keys are 0 .. len(self) - 1.

    Other data about each item are in arrays in the same order as `items`, which `span` and `places` also index.
    """

    starts: Integers
    """(keys + 1,): ascending from 0 to len(items)."""
    items: npt.NDArray[Scalar]
    """All lists, one after another."""

    @classmethod
    def build(cls, lists: Collection[Collection[int]], dtype: type[Scalar]) -> "RaggedArray[Scalar]":
        """Concatenate lists in the order of their keys."""
        sizes = [len(items) for items in lists]
        return cls.of_sizes(sizes, np.fromiter(chain.from_iterable(lists), dtype, count=sum(sizes)))

    @classmethod
    def of_sizes(cls, sizes: "Sequence[int] | Keys", items: npt.NDArray[Scalar]) -> "RaggedArray[Scalar]":
        """Return lists that are already concatenated, by the size of each."""
        starts = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(sizes, out=starts[1:])
        return cls(starts, items)

    @staticmethod
    def invert(lists: Sequence[Sequence[int]], n_items: int) -> "RaggedArray[np.int64]":
        """Return, for each of the items 0 .. n_items - 1, the keys of the lists that contain it, ascending."""
        forward = RaggedArray.build(lists, np.int64)
        order = np.argsort(forward.items, kind="stable")
        keys = np.repeat(np.arange(len(forward)), np.diff(forward.starts))
        return RaggedArray.of_sizes(np.bincount(forward.items, minlength=n_items), keys[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, key: int) -> npt.NDArray[Scalar]:
        return self.items[self.starts[key] : self.starts[key + 1]]

    def span(self, first: int, stop: int | None = None) -> slice:
        """Return the slice of the items of one key, or of the keys first .. stop - 1."""
        return slice(self.starts[first], self.starts[first + 1 if stop is None else stop])

    def sizes(self, keys: Keys) -> Integers:
        """Return the number of items of each key."""
        sizes: Integers = self.starts[keys + 1] - self.starts[keys]
        return sizes

    def places(self, keys: Keys) -> Integers:
        """Return the indices of the items of these keys, concatenated in the order of `keys`."""
        sizes = self.sizes(keys)
        ends = np.cumsum(sizes)
        return np.repeat(self.starts[keys] - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)

    def gather(self, keys: Keys) -> npt.NDArray[Scalar]:
        """Return the items of these keys, concatenated in the order of `keys`."""
        return self.items[self.places(keys)]

    def save(self, folder: Path, name: str) -> None:
        """Write the two arrays to `<name>.npy` and `<name>.starts.npy`."""
        save_array(folder / f"{name}.npy", self.items)
        save_array(folder / f"{name}.starts.npy", self.starts)

    @classmethod
    def load(cls, folder: Path, name: str, dtype: type[Scalar]) -> "RaggedArray[Scalar]":
        """Map what `save` wrote under this name.

        Raises:
            IndexCorruptError: a file is missing, is another array, or the two do not fit each other.
        """
        loaded = cls(load_array(folder / f"{name}.starts.npy", np.int64), load_array(folder / f"{name}.npy", dtype))
        if loaded.starts.ndim != 1 or loaded.items.ndim != 1 or not len(loaded.starts):
            raise IndexCorruptError(
                f"{folder / name}.npy and its starts are not one-dimensional; build the index again"
            )
        if loaded.starts[-1] != len(loaded.items):
            raise IndexCorruptError(
                f"{folder / name}.npy has {len(loaded.items)} items, which do not fit starts that end at "
                f"{loaded.starts[-1]}; build the index again"
            )
        return loaded
