"""Arrays and term lists on disk: written as .npy, opened as memory maps, never unpickled."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError

Scalar = TypeVar("Scalar", bound=np.generic)


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write one array."""
    np.save(path, np.ascontiguousarray(array), allow_pickle=False)


def load_array(path: Path, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Map one array.

    Raises:
        IndexCorruptError: there is no such file, or it holds something else.
    """
    try:
        array: npt.NDArray[Scalar] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise IndexCorruptError(f"{path} is not an array ({error}); build the index again") from error
    if array.dtype.type is not dtype:
        raise IndexCorruptError(f"{path} holds {array.dtype}, not {dtype.__name__}; build the index again")
    return array


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """Distinct terms as UTF-8, in byte order. Opening it costs two memory maps, a look-up log2(n) comparisons."""

    text: npt.NDArray[np.uint8]
    """All terms, one after the other."""
    ends: npt.NDArray[np.int64]
    """(n + 1,): term i lies between ends[i] and ends[i + 1]."""

    @classmethod
    def build(cls, ordered: Sequence[bytes]) -> "TermTable":
        """From terms that are distinct and in byte order."""
        ends = np.zeros(len(ordered) + 1, dtype=np.int64)
        np.cumsum([len(term) for term in ordered], out=ends[1:])
        return cls(np.frombuffer(b"".join(ordered), dtype=np.uint8), ends)

    def position(self, term: str) -> int | None:
        """Where a term stands, or None."""
        wanted = term.encode("utf-8", "surrogatepass")
        found = bisect_left(range(len(self)), wanted, key=self._term)
        return found if found < len(self) and self._term(found) == wanted else None

    def text_of(self, position: int) -> str:
        """The term at a position."""
        return self._term(position).decode("utf-8", "surrogatepass")

    def save(self, folder: Path) -> None:
        """Write `terms.npy` and `term_ends.npy`."""
        save_array(folder / "terms.npy", self.text)
        save_array(folder / "term_ends.npy", self.ends)

    @classmethod
    def load(cls, folder: Path) -> "TermTable":
        """Map what `save` wrote."""
        return cls(load_array(folder / "terms.npy", np.uint8), load_array(folder / "term_ends.npy", np.int64))

    def __len__(self) -> int:
        return len(self.ends) - 1

    def _term(self, index: int) -> bytes:
        return self.text[self.ends[index] : self.ends[index + 1]].tobytes()
