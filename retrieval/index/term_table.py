"""Distinct terms on disk, found by hash."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray

REMEMBERED = 1 << 14
_UNREAD = -1
"""Words whose position is cached, before the cache is cleared."""


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """Distinct terms as UTF-8, in byte order. Opening it maps four files; a look-up is by 64-bit hash."""

    text: RaggedArray[np.uint8]
    """The bytes of each term."""
    hashes: npt.NDArray[np.uint64]
    """(n,): hash of every term, ascending."""
    hashed: npt.NDArray[np.int32]
    """(n,): the term of each hash."""
    _known: dict[str, int | None] = field(default_factory=dict, repr=False)
    """Cached positions of words: questions share words, and each looks them up several times."""

    @classmethod
    def build(cls, ordered: Sequence[bytes]) -> "TermTable":
        """Build a table of terms that are distinct and in byte order."""
        hashes = _hashes(ordered)
        order = np.argsort(hashes, kind="stable")
        letters = np.frombuffer(b"".join(ordered), dtype=np.uint8)
        text = RaggedArray.of_sizes([len(term) for term in ordered], letters)
        return cls(text, hashes[order], order.astype(np.int32))

    def position(self, term: str) -> int | None:
        """Return the position of a term, or None."""
        return self.positions([term])[0]

    def positions(self, terms: Sequence[str]) -> list[int | None]:
        """Return the position of each of these terms, or None, with one search for all of them."""
        wanted = [term.encode("utf-8", "surrogatepass") for term in terms]
        hashes = _hashes(wanted)
        starts = np.searchsorted(self.hashes, hashes)
        stops = np.searchsorted(self.hashes, hashes, side="right")
        positions: list[int | None] = [None] * len(wanted)
        for position in np.flatnonzero(starts < stops).tolist():
            # Two terms may share a hash, however unlikely: the text decides.
            same = (int(term) for term in self.hashed[starts[position] : stops[position]])
            positions[position] = next((term for term in same if self._term(term) == wanted[position]), None)
        return positions

    def words(self, words: Sequence[str]) -> list[int | None]:
        """Return the `positions` of single words, and cache them."""
        # Another thread may empty the cache at any time, so each word is looked up in it once.
        known = {word: self._known.get(word, _UNREAD) for word in words}
        new = [word for word, position in known.items() if position == _UNREAD]
        if new:
            read = dict(zip(new, self.positions(new), strict=True))
            known |= read
            if len(self._known) > REMEMBERED:
                self._known.clear()
            self._known.update(read)
        return [known[word] for word in words]

    def text_of(self, position: int) -> str:
        """Return the term at a position."""
        return self._term(position).decode("utf-8", "surrogatepass")

    def __len__(self) -> int:
        return len(self.text)

    def _term(self, index: int) -> bytes:
        return self.text[index].tobytes()


def _hashes(terms: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    return np.frombuffer(b"".join(blake2b(term, digest_size=8).digest() for term in terms), dtype="<u8").astype(
        np.uint64
    )
