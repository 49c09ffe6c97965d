"""Whole cells and names that a question quotes, and the fields in which its words stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray, numbered
from retrieval.files.cache import remember
from retrieval.index.term_table import TermTable
from retrieval.index.words.field_index import HeadingIndex
from retrieval.language.terms import Tokenize, tokens
from retrieval.types import Chunk

MAX_WORDS = 12
"""A longer cell is prose: nobody quotes it whole."""

_SPANS = 63
"""Words of a question that can be told apart in one 64-bit mask."""

_REMEMBERED = 8
"""Questions whose quotes are kept: of a large library they are megabytes each."""

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quotes:
    """What a question quotes, (m,) each, in the weights of its words; a word counts once a chunk, in its longest."""

    positions: npt.NDArray[np.int64]
    """(m,): the chunks that hold any of it, rising."""
    name: Scores
    """Names of the chunk."""
    cell: Scores
    """Whole cells with a letter."""
    figure: Scores
    """Whole cells without one."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueIndex:
    """Distinct values, and the chunks they are in; memory-mapped when loaded."""

    n_chunks: int
    values: TermTable
    """Words of each value joined by one space."""
    chunks: RaggedArray[np.int32]
    """Chunks of each value, rising, each once."""
    is_name: npt.NDArray[np.bool_]
    """Whether the value is a name of the chunk, not a mere cell; aligned with the items of `chunks`."""
    _quoted: dict[tuple[tuple[str, ...], tuple[tuple[str, float], ...]], Quotes] = field(
        default_factory=dict, init=False, repr=False
    )
    """What questions quote: a search asks for it more than once."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], names: Sequence[Sequence[str]], tokenize: Tokenize = tokens
    ) -> "ValueIndex":
        """Index the cells of rows, and names of chunks by position."""
        places_by_value: dict[str, list[tuple[int, bool]]] = {}
        terms: dict[str, tuple[str, ...]] = {}

        def words(text: str) -> tuple[str, ...]:
            if text not in terms:
                terms[text] = tuple(tokenize(text))
            return terms[text]

        for position, (chunk, called) in enumerate(zip(chunks, names, strict=True)):
            pairs = zip(chunk.columns, chunk.cells, strict=True)
            # A cell that repeats its own heading is a heading that strayed into the table.
            occurrences = {words(cell): False for column, cell in pairs if words(cell) != words(column)}
            occurrences |= {words(name): True for name in called}
            for value, is_name in occurrences.items():
                if 0 < len(value) <= MAX_WORDS:
                    places_by_value.setdefault(" ".join(value), []).append((position, is_name))
        ordered = sorted((value.encode("utf-8", "surrogatepass"), places) for value, places in places_by_value.items())
        flat = [position for _, places in ordered for position in places]
        positions = np.fromiter((position for position, _ in flat), np.int32, count=len(flat))
        return cls(
            len(chunks),
            TermTable.build([value for value, _ in ordered]),
            RaggedArray.of_sizes([len(places) for _, places in ordered], positions),
            np.fromiter((is_name for _, is_name in flat), np.bool_, count=len(flat)),
        )

    def quotes(self, words: Sequence[str], weights: Mapping[str, float]) -> Quotes:
        """What the words of a question quote, longest first; each word has its weight.

        Args:
            words: the question's words in order; those after the 63rd quote nothing.
            weights: weight of every word.
        """
        key = (tuple(words), tuple(weights.items()))
        known = self._quoted.get(key)
        return known or remember(self._quoted, key, self._quotes(words, weights), _REMEMBERED)

    def _quotes(self, words: Sequence[str], weights: Mapping[str, float]) -> Quotes:
        values = self._runs(words[:_SPANS], weights)
        held = [self.chunks[value] for value, _, _ in values]
        is_name = [self.is_name[self.chunks.span(value)] for value, _, _ in values]
        positions, places = numbered(np.concatenate([*held, self.chunks.items[:0]]))
        name, cell, figure = (np.zeros(len(positions)) for _ in range(3))
        claimed = np.zeros(len(positions), dtype=np.int64)
        stops = np.cumsum([len(chunks) for chunks in held])
        for (value, span, weight), called, key in zip(
            values, is_name, np.split(places, stops[:-1]), strict=bool(values)
        ):
            free = claimed[key] & span == 0
            name[key[free & called]] += weight
            (cell if any(map(str.isalpha, self.values.text_of(value))) else figure)[key[free & ~called]] += weight
            claimed[key[free]] |= span
        return Quotes(positions.astype(np.int64), name, cell, figure)

    def _runs(self, words: Sequence[str], weights: Mapping[str, float]) -> list[tuple[int, int, float]]:
        """(value, mask of its words, weight) of every run of words that is a value; longer runs first."""
        spans = [
            (start, start + length)
            for length in range(min(MAX_WORDS, len(words)), 0, -1)
            for start in range(len(words) - length + 1)
        ]
        values = self.values.positions([" ".join(words[start:stop]) for start, stop in spans])
        runs = []
        for (start, stop), value in zip(spans, values, strict=True):
            if value is not None:
                mask = (1 << stop) - (1 << start)
                runs.append((value, mask, sum(weights[word] for word in dict.fromkeys(words[start:stop]))))
        return runs


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTables:
    """The table or passage of each chunk, and what its chunks are called."""

    n_tables: int
    """Tables; a chunk whose number is not below is prose."""
    of: npt.NDArray[np.int32]
    """(n_chunks,): number of the chunk's table; prose has numbers of its own, after those of the tables."""
    rows: RaggedArray[np.int32]
    """The chunks of each table and passage, rising."""
    values: ValueIndex
    """Cells and names of rows."""
    headings: HeadingIndex
    """Names of prose."""

    @classmethod
    def build(
        cls,
        chunks: Sequence[Chunk],
        names: Sequence[Sequence[str]],
        tokenize: Tokenize,
        ask: Tokenize,
    ) -> "ChunkTables":
        """Index chunks; tables are numbered in their first order.

        Args:
            chunks: by position.
            names: those of each chunk that are words.
            tokenize: cuts texts.
            ask: cuts questions; of a heading too only what is looked for need be said.
        """
        first = {chunk.table_id: chunk for chunk in reversed(chunks) if chunk.table_id is not None}
        tables = list(reversed(first.values()))
        prose = [chunk for chunk in chunks if chunk.table_id is None]
        number = {chunk.table_id: position for position, chunk in enumerate(tables)}
        alone = iter(range(len(tables), len(tables) + len(prose)))
        of = (next(alone) if chunk.table_id is None else number[chunk.table_id] for chunk in chunks)
        numbers = np.fromiter(of, np.int32, count=len(chunks))
        named = list(zip(chunks, names, strict=True))
        return cls(
            len(tables),
            numbers,
            RaggedArray.of_sizes(np.bincount(numbers), np.argsort(numbers, kind="stable").astype(np.int32)),
            ValueIndex.build(chunks, [() if chunk.table_id is None else called for chunk, called in named], tokenize),
            HeadingIndex.build(
                [[ask(name) for name in called] if chunk.table_id is None else () for chunk, called in named]
            ),
        )
