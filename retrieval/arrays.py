"""Arrays on disk: written as .npy, opened as memory maps, never unpickled."""

import errno
import os
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError

Scalar = TypeVar("Scalar", bound=np.generic)
Integers = npt.NDArray[np.int64]


def begins(ordered: npt.NDArray[Scalar]) -> npt.NDArray[np.bool_]:
    """(n,): where a value begins among values that lie beside their equals."""
    new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def distinct(values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Each value once, rising; `np.unique` hashes thousands of numbers first, which takes ten times as long."""
    ordered = np.sort(values)
    return ordered[begins(ordered)]


def numbered(values: npt.NDArray[Scalar]) -> tuple[npt.NDArray[Scalar], Integers]:
    """Each value once, rising, and which of those each value is."""
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
        # numpy counts what was not written, and forgets why: a full disk is nearly always it.
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {error}", str(path)) from error


def load_array(path: Path, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Map one array.

    Raises:
        IndexCorruptError: there is no such file, or it holds something else.
    """
    try:
        # As a plain array over the map: a slice of np.memmap itself costs ten times one of these.
        array: npt.NDArray[Scalar] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except Exception as error:  # a header is read as Python, so that of a damaged one anything may come
        raise IndexCorruptError(f"{path} is not an array ({error}); build the index again") from error
    if array.dtype.type is not dtype:
        raise IndexCorruptError(f"{path} holds {array.dtype}, not {dtype.__name__}; build the index again")
    return array
