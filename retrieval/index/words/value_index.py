"""Whole cells and names that a question quotes, and the table or passage of each chunk."""

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
"""Most words of a value; a longer cell is prose that is not quoted whole."""

_SPANS = 63
"""Most words of a question, which must fit into a 64-bit mask."""

_REMEMBERED = 8
"""Questions whose quotes are cached; in a large library they take megabytes each."""

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quotes:
    """The values that a question quotes, as sums of its words' weights, (m,) each.

    A word counts once for each chunk, in the longest value that contains it.
    """

    positions: npt.NDArray[np.int64]
    """(m,): the chunks with a quoted value, ascending."""
    name: Scores
    """Weight of quoted names of the chunk."""
    cell: Scores
    """Weight of quoted cells that contain a letter."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueIndex:
    """Distinct values, and the chunks that contain them; memory-mapped when loaded."""

    n_chunks: int
    values: TermTable
    """Words of each value joined by one space."""
    chunks: RaggedArray[np.int32]
    """Chunks of each value, ascending, each once."""
    is_name: npt.NDArray[np.bool_]
    """Whether the value is a name of the chunk rather than just a cell; aligned with the items of `chunks`."""
    _quoted: dict[tuple[tuple[str, ...], tuple[tuple[str, float], ...]], Quotes] = field(
        default_factory=dict, init=False, repr=False
    )
    """Cached quotes of questions: a search needs them more than once."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], names: Sequence[Sequence[str]], tokenize: Tokenize = tokens
    ) -> "ValueIndex":
        """Index the cells of rows and the names of chunks, by position."""
        places_by_value: dict[str, list[tuple[int, bool]]] = {}
        terms: dict[str, tuple[str, ...]] = {}

        def words(text: str) -> tuple[str, ...]:
            if text not in terms:
                terms[text] = tuple(tokenize(text))
            return terms[text]

        for position, (chunk, called) in enumerate(zip(chunks, names, strict=True)):
            pairs = zip(chunk.columns, chunk.cells, strict=True)
            # A cell that repeats its column heading is a header row repeated within the table.
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
        """Return the values that the words of a question quote, longer values first.

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
        name, cell = np.zeros((2, len(positions)))
        claimed = np.zeros(len(positions), dtype=np.int64)
        stops = np.cumsum([len(chunks) for chunks in held])
        for (value, span, weight), called, key in zip(
            values, is_name, np.split(places, stops[:-1]), strict=bool(values)
        ):
            free = claimed[key] & span == 0
            name[key[free & called]] += weight
            if any(map(str.isalpha, self.values.text_of(value))):
                cell[key[free & ~called]] += weight
            claimed[key[free]] |= span
        return Quotes(positions.astype(np.int64), name, cell)

    def _runs(self, words: Sequence[str], weights: Mapping[str, float]) -> list[tuple[int, int, float]]:
        """Return (value, mask of its words, weight) of every run of words that is a value; longer runs first."""
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
    """The table or passage of each chunk, and the names of its chunks."""

    n_tables: int
    """The number of tables; chunks whose number in `of` is not smaller are prose."""
    of: npt.NDArray[np.int32]
    """(n_chunks,): number of the chunk's table; each prose chunk has its own number, after those of the tables."""
    rows: RaggedArray[np.int32]
    """The chunks of each table and passage, ascending."""
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
        """Index chunks; tables are numbered in the order of first occurrence.

        Args:
            chunks: by position.
            names: of each chunk, without those that are a label and a number.
            tokenize: for texts.
            ask: for questions, and for headings, of which a question need only contain the words that it would search.
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
