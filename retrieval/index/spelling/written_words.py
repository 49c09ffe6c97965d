"""The words of a library as they are written, and which of them name or head something."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.term_table import TermTable
from retrieval.types import Chunk

SHORTEST, LONGEST = 4, 40
"""Letters of a word that may be meant; no longer one is looked at."""
_WORD = re.compile(r"[^\W\d_]+")

Counts = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WrittenWords:
    """Distinct words in lower case, in the order of their letters."""

    terms: TermTable
    named: Counts
    """(n,) how many rows and headings each names or heads."""
    chunks: Counts
    """(n,) how many chunks have each."""

    @classmethod
    def build(cls, chunks: Iterable[Chunk]) -> "WrittenWords":
        """Of what is searched of the chunks; their keys, names, columns and headings name something."""
        named, held = Counter[str](), Counter[str]()
        heads: set[tuple[str, ...]] = set()
        for chunk in chunks:
            head = (*chunk.heading_path, chunk.caption or "", *chunk.columns)
            names = set(_written_words((chunk.row_key or "", *chunk.names)))
            if head not in heads:
                heads.add(head)
                names.update(_written_words(head))
            named.update(names)
            held.update(names | set(_written_words((chunk.search_text,))))
        # By their bytes, as a table of terms has them.
        ordered = sorted(held, key=lambda word: word.encode())
        return cls(
            TermTable.build([word.encode() for word in ordered]),
            np.asarray([named[word] for word in ordered], dtype=np.int32),
            np.asarray([held[word] for word in ordered], dtype=np.int32),
        )

    @cached_property
    def words(self) -> Sequence[str]:
        """(n,) all of them. They are read once, when a question first has a word that the library lacks."""
        return [self.terms.text_of(place) for place in range(len(self.named))]

    def rank(self, place: int) -> tuple[int, int, str]:
        """The smaller, the rather is it meant: what names most, then what most chunks have."""
        return -int(self.named[place]), -int(self.chunks[place]), self.words[place]

    def save(self, folder: Path) -> None:
        """Write the terms, `named.npy` and `chunks.npy`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.terms.save(folder)
        save_array(folder / "named.npy", self.named)
        save_array(folder / "chunks.npy", self.chunks)

    @classmethod
    def load(cls, folder: Path) -> "WrittenWords":
        """Map what `save` wrote. Raises IndexCorruptError."""
        named, chunks = (load_array(folder / f"{name}.npy", np.int32) for name in ("named", "chunks"))
        return cls(TermTable.load(folder), named, chunks)


def _written_words(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        for word in _WORD.findall(text):
            if SHORTEST <= len(word) <= LONGEST:
                yield word.casefold()
