"""Arrays and term lists on disk: written as .npy, opened as memory maps, never unpickled."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
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
        # As a plain array over the map: a slice of np.memmap itself costs ten times one of these.
        array: npt.NDArray[Scalar] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        raise IndexCorruptError(f"{path} is not an array ({error}); build the index again") from error
    if array.dtype.type is not dtype:
        raise IndexCorruptError(f"{path} holds {array.dtype}, not {dtype.__name__}; build the index again")
    return array


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """Distinct terms as UTF-8, in byte order. Opening it costs four memory maps; a look-up is by 64-bit hash."""

    text: npt.NDArray[np.uint8]
    """All terms, one after the other."""
    ends: npt.NDArray[np.int64]
    """(n + 1,): term i lies between ends[i] and ends[i + 1]."""
    hashes: npt.NDArray[np.uint64]
    """(n,): hash of every term, rising."""
    hashed: npt.NDArray[np.int32]
    """(n,): which term each hash is of."""

    @classmethod
    def build(cls, ordered: Sequence[bytes]) -> "TermTable":
        """From terms that are distinct and in byte order."""
        ends = np.zeros(len(ordered) + 1, dtype=np.int64)
        np.cumsum([len(term) for term in ordered], out=ends[1:])
        hashes = _hashes(ordered)
        order = np.argsort(hashes, kind="stable")
        return cls(np.frombuffer(b"".join(ordered), dtype=np.uint8), ends, hashes[order], order.astype(np.int32))

    def position(self, term: str) -> int | None:
        """Where a term stands, or None."""
        return self.positions([term])[0]

    def positions(self, terms: Sequence[str]) -> list[int | None]:
        """Where each of these terms stands, or None; one search for all of them."""
        wanted = [term.encode("utf-8", "surrogatepass") for term in terms]
        hashes = _hashes(wanted)
        starts = np.searchsorted(self.hashes, hashes)
        stops = np.searchsorted(self.hashes, hashes, side="right")
        found: list[int | None] = [None] * len(wanted)
        for place in np.flatnonzero(starts < stops).tolist():
            # Two terms may share a hash, however unlikely: the text decides.
            same = (int(term) for term in self.hashed[starts[place] : stops[place]])
            found[place] = next((term for term in same if self._term(term) == wanted[place]), None)
        return found

    def text_of(self, position: int) -> str:
        """The term at a position."""
        return self._term(position).decode("utf-8", "surrogatepass")

    def save(self, folder: Path) -> None:
        """Write `terms.npy`, `term_ends.npy`, `term_hashes.npy` and `term_hashed.npy`."""
        save_array(folder / "terms.npy", self.text)
        save_array(folder / "term_ends.npy", self.ends)
        save_array(folder / "term_hashes.npy", self.hashes)
        save_array(folder / "term_hashed.npy", self.hashed)

    @classmethod
    def load(cls, folder: Path) -> "TermTable":
        """Map what `save` wrote."""
        return cls(
            load_array(folder / "terms.npy", np.uint8),
            load_array(folder / "term_ends.npy", np.int64),
            load_array(folder / "term_hashes.npy", np.uint64),
            load_array(folder / "term_hashed.npy", np.int32),
        )

    def __len__(self) -> int:
        return len(self.ends) - 1

    def _term(self, index: int) -> bytes:
        return self.text[self.ends[index] : self.ends[index + 1]].tobytes()


def _hashes(terms: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    return np.frombuffer(b"".join(blake2b(term, digest_size=8).digest() for term in terms), dtype="<u8").astype(
        np.uint64
    )
