"""Arrays on disk: written as .npy, opened as memory maps, never unpickled."""

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError

Scalar = TypeVar("Scalar", bound=np.generic)
Integers = npt.NDArray[np.int64]


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write one array."""
    np.save(path, np.ascontiguousarray(array), allow_pickle=False)


def load_array(path: Path, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Map one array.

    Raises:
        IndexCorruptError: there is no such file, or it holds something else.
    """
    try:
        # As a plain array over the map: a slice of np.memmap itself costs ten times one of these.
        array: npt.NDArray[Scalar] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        raise IndexCorruptError(f"{path} is not an array ({error}); build the index again") from error
    if array.dtype.type is not dtype:
        raise IndexCorruptError(f"{path} holds {array.dtype}, not {dtype.__name__}; build the index again")
    return array
