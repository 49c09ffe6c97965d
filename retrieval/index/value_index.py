"""Whole cells and names, so that a question that quotes one finds the rows that have it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.arrays import TermTable, load_array, save_array
from retrieval.index.tokens import Tokenize, tokens
from retrieval.index.word_index import WordIndex
from retrieval.types import Chunk

MAX_WORDS = 12
"""A longer cell is prose: nobody quotes it whole."""

_NAME = -1
_SPANS = 63
"""Words of a question that can be told apart in one 64-bit mask."""

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quotes:
    """What a question quotes, (n,) each, in the weights of its words; a word counts once a chunk, in its longest."""

    name: Scores
    """Names of the chunk."""
    cell: Scores
    """Whole cells with a letter."""
    figure: Scores
    """Whole cells without one."""
    placed: Scores
    """Of both kinds of cell: times the share of the column's name that the question says too."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueIndex:
    """Distinct values, and the chunks and columns they stand in; memory-mapped when loaded."""

    n_chunks: int
    values: TermTable
    """Words of each value joined by one space."""
    starts: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int32]
    """Chunk of each occurrence, rising within a value."""
    columns: npt.NDArray[np.int32]
    """Number of the column's name; -1 where the value is a name of the chunk."""
    column_words: WordIndex
    column_sizes: npt.NDArray[np.float64]

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], names: Sequence[Sequence[str]], tokenize: Tokenize = tokens
    ) -> "ValueIndex":
        """Index the cells of rows, and names of chunks by position."""
        numbers: dict[tuple[str, ...], int] = {}
        found: dict[str, list[tuple[int, int]]] = {}
        said: dict[str, tuple[str, ...]] = {}

        def words(text: str) -> tuple[str, ...]:
            if text not in said:
                said[text] = tuple(tokenize(text))
            return said[text]

        for position, (chunk, called) in enumerate(zip(chunks, names, strict=True)):
            occurrences = {(words(name), _NAME) for name in called}
            for column, cell in zip(chunk.columns, chunk.cells, strict=True):
                # A cell that repeats its own heading is a heading that strayed into the table.
                if words(cell) != words(column):
                    occurrences.add((words(cell), numbers.setdefault(words(column), len(numbers))))
            for value, number in occurrences:
                if 0 < len(value) <= MAX_WORDS:
                    found.setdefault(" ".join(value), []).append((position, number))
        ordered = sorted((value.encode("utf-8", "surrogatepass"), sorted(places)) for value, places in found.items())
        flat = np.asarray([place for _, places in ordered for place in places], dtype=np.int32).reshape(-1, 2)
        starts = np.zeros(len(ordered) + 1, dtype=np.int64)
        np.cumsum([len(places) for _, places in ordered], out=starts[1:])
        sizes = np.asarray([max(len(set(column)), 1) for column in numbers], dtype=np.float64)
        values = TermTable.build([value for value, _ in ordered])
        return cls(
            len(chunks), values, starts, flat[:, 0].copy(), flat[:, 1].copy(), WordIndex.build(numbers), sizes
        )  # fmt: skip

    def quotes(self, words: Sequence[str], weights: Mapping[str, float]) -> Quotes:
        """What the words of a question quote, longest first; each word has its weight.

        Args:
            words: the question's words in order; those after the 63rd quote nothing.
            weights: weight of every word.
        """
        said = self.column_words.covered((word, 1.0) for word in dict.fromkeys(words)) / self.column_sizes
        quotes = Quotes(*(np.zeros(self.n_chunks) for _ in range(4)))
        claimed = np.zeros(self.n_chunks, dtype=np.int64)
        for value, span, weight in self._found(words[:_SPANS], weights):
            where = slice(self.starts[value], self.starts[value + 1])
            chunks, columns = self.chunks[where], self.columns[where]
            named = chunks[columns == _NAME]
            free = named[claimed[named] & span == 0]
            quotes.name[free] += weight
            claimed[free] |= span
            in_cells = columns != _NAME
            cells, shares = _best_column(chunks[in_cells], said[columns[in_cells]])
            unclaimed = claimed[cells] & span == 0
            free = cells[unclaimed]
            (quotes.cell if self._has_letter(value) else quotes.figure)[free] += weight
            quotes.placed[free] += weight * shares[unclaimed]
            claimed[free] |= span
        return quotes

    def _found(self, words: Sequence[str], weights: Mapping[str, float]) -> list[tuple[int, int, float]]:
        """(value, mask of its words, weight) of every run of words that is a value; longer runs first."""
        found = []
        for length in range(min(MAX_WORDS, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                run = words[start : start + length]
                value = self.values.position(" ".join(run))
                if value is not None:
                    mask = ((1 << length) - 1) << start
                    found.append((value, mask, sum(weights[word] for word in set(run))))
        return found

    def _has_letter(self, value: int) -> bool:
        return any(map(str.isalpha, self.values.text_of(value)))

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        self.values.save(folder)
        save_array(folder / "size.npy", np.asarray([self.n_chunks], dtype=np.int64))
        for name in ("starts", "chunks", "columns", "column_sizes"):
            save_array(folder / f"{name}.npy", getattr(self, name))
        self.column_words.save(folder / "column_words")

    @classmethod
    def load(cls, folder: Path) -> "ValueIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            int(load_array(folder / "size.npy", np.int64)[0]),
            TermTable.load(folder),
            load_array(folder / "starts.npy", np.int64),
            load_array(folder / "chunks.npy", np.int32),
            load_array(folder / "columns.npy", np.int32),
            WordIndex.load(folder / "column_words"),
            load_array(folder / "column_sizes.npy", np.float64),
        )


def _best_column(chunks: npt.NDArray[np.int32], shares: Scores) -> tuple[npt.NDArray[np.int32], Scores]:
    """Each chunk once, with its largest share; `chunks` rise."""
    if not len(chunks):
        return chunks, shares
    first = np.flatnonzero(np.concatenate([[True], chunks[1:] != chunks[:-1]]))
    return chunks[first], np.maximum.reduceat(shares, first)
