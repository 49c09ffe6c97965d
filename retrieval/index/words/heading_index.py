"""Headings of prose, so that a question that says every word of one finds the passages under it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import distinct, load_array, save_array
from retrieval.index.words.word_index import WordIndex
from retrieval.ragged import RaggedArray

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class HeadingIndex:
    """Distinct headings as bags of words, and the chunks under each; memory-mapped when loaded."""

    n_chunks: int
    words: WordIndex
    """Which headings hold a word."""
    lengths: npt.NDArray[np.int32]
    """(headings,): distinct words of each."""
    chunks: RaggedArray[np.int32]
    """Those under each heading, rising, each once."""

    @classmethod
    def build(cls, headings: Sequence[Sequence[Sequence[str]]]) -> "HeadingIndex":
        """Index the headings of each chunk, cut into words, by position; one without words is none."""
        found: dict[tuple[str, ...], list[int]] = {}
        for position, cut in enumerate(headings):
            for bag in dict.fromkeys(tuple(sorted(set(words))) for words in cut):
                if bag:
                    found.setdefault(bag, []).append(position)
        return cls(
            len(headings),
            WordIndex.build(found),
            np.fromiter(map(len, found), np.int32, count=len(found)),
            RaggedArray.build(found.values(), np.int32),
        )

    def said(self, weights: Mapping[str, float]) -> tuple[Positions, npt.NDArray[np.float64]]:
        """Chunks of which a question says a whole heading, in any order of its words.

        Args:
            weights: of every word of the question.

        Returns:
            Their positions, rising, and the weight of the words of those headings; a word counts once a chunk.
        """
        holding = self.words.postings(list(weights))
        said = np.bincount(np.concatenate([*holding, self.lengths[:0]]), minlength=len(self.lengths))
        if not np.any(said == self.lengths):
            return np.empty(0, dtype=np.int64), np.empty(0)
        under = [self._under(headings[said[headings] == self.lengths[headings]]) for headings in holding]
        positions = distinct(np.concatenate(under))
        total = np.zeros(len(positions))
        for chunks, weight in zip(under, weights.values(), strict=True):
            total[np.searchsorted(positions, chunks)] += weight
        return positions[total != 0], total[total != 0]

    def _under(self, headings: npt.NDArray[np.int32]) -> Positions:
        """Chunks under any of these headings, each once."""
        return distinct(self.chunks.gather(headings)).astype(np.int64)

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        self.words.save(folder / "words")
        save_array(folder / "size.npy", np.asarray([self.n_chunks], dtype=np.int64))
        save_array(folder / "lengths.npy", self.lengths)
        self.chunks.save(folder, "chunks")

    @classmethod
    def load(cls, folder: Path) -> "HeadingIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            int(load_array(folder / "size.npy", np.int64)[0]),
            WordIndex.load(folder / "words"),
            load_array(folder / "lengths.npy", np.int32),
            RaggedArray.load(folder, np.int32, "chunks"),
        )
