"""All keyed tables of an index as arrays. Values that all rows of a table share are stored once, by table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import Integers, RaggedArray
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.atoms import Hashes, IntervalIndex, hash_of, places_of
from retrieval.query_must.operators import Membership
from retrieval.query_must.sibling_mentions import AmountInterval
from retrieval.query_must.siblings import KeyedTable, TableWords, words_of_table

Numbers = npt.NDArray[np.int32]
Lists = RaggedArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class SiblingArrays:
    """T tables in the order of their ids, and their R rows, one table after another."""

    tables: Hashes
    """(T,) hash of each table's id."""
    kind: Numbers
    """(T,)."""
    tables_of_kind: Lists
    rows: Integers
    """(T + 1,) the rows of table t are rows[t] .. rows[t + 1] - 1."""
    table_of: Numbers
    """(R,)."""
    ordinals: Numbers
    """(R,) number of each row in its table, ascending within a table."""
    positions: Integers
    """(R,) position of the chunk of each row."""
    by_position: Numbers
    """(R,) the rows in the order of their positions."""
    words: Hashes
    """(W,) ascending."""
    words_of_row: Lists
    words_of_heads: Lists
    """By table, like `words_of_title`."""
    words_of_title: Lists
    names: Hashes
    """Ascending, like `shared` and `runs`."""
    rows_of_name: Lists
    shared: Hashes
    """Cells that several rows have."""
    rows_of_shared: Lists
    runs: Hashes
    tables_of_run: Lists
    amounts: IntervalIndex
    """A amounts of rows, by the unit that they measure."""
    row_of_amount: Numbers
    """(A,)."""
    is_step: npt.NDArray[np.bool_]
    """(A,) whether it is more than one value."""
    longest: Integers
    """(2,) number of tokens of the longest name or shared cell, and of the longest run."""

    def __post_init__(self) -> None:
        sizes = {len(self.table_of), len(self.ordinals), len(self.positions), len(self.words_of_row)}
        if len(sizes) > 1 or len(self.rows) != len(self.tables) + 1 or self.rows[-1] != len(self.table_of):
            raise ValueError("rows and tables do not fit")

    @classmethod
    def build(cls, tables: Sequence[KeyedTable], positions: Mapping[Membership, int], vocabulary: Vocabulary) -> Self:
        """Arrange tables; every row must have a position."""
        ordered = sorted(tables, key=lambda table: table.id)
        read = [words_of_table(table, vocabulary) for table in ordered]
        rows = [(table, number) for table, words in enumerate(read) for number in sorted(words.rows)]
        words = _numbered((word,) for table_words in read for word in _words(table_words))
        kinds = {kind: number for number, kind in enumerate(sorted({table.kind for table in ordered}))}
        kind = np.array([kinds[table.kind] for table in ordered], dtype=np.int32)
        of_row = [read[table].rows[number] for table, number in rows]
        names_of_row, shared_of_row = [row.names for row in of_row], [row.shared for row in of_row]
        runs_of_table = [table_words.runs for table_words in read]
        names, rows_of_name = _inverted(names_of_row)
        shared, rows_of_shared = _inverted(shared_of_row)
        runs, tables_of_run = _inverted(runs_of_table)
        amounts = [(number, amount) for number, row in enumerate(of_row) for amount in row.amounts]
        places = np.array([positions[Membership(ordered[table].id, number)] for table, number in rows], dtype=np.int64)
        return cls(
            tables=hashes_of(hash_of((table.id,)) for table in ordered),
            kind=kind,
            tables_of_kind=RaggedArray.of_sizes(np.bincount(kind), np.argsort(kind, kind="stable").astype(np.int32)),
            rows=np.cumsum([0, *(len(table_words.rows) for table_words in read)], dtype=np.int64),
            table_of=np.array([table for table, _ in rows], dtype=np.int32),
            ordinals=np.array([number for _, number in rows], dtype=np.int32),
            positions=places,
            by_position=np.argsort(places).astype(np.int32),
            words=words,
            words_of_row=_numbers([row.words for row in of_row], words),
            words_of_heads=_numbers([table_words.heads for table_words in read], words),
            words_of_title=_numbers([table_words.title for table_words in read], words),
            names=names,
            rows_of_name=rows_of_name,
            shared=shared,
            rows_of_shared=rows_of_shared,
            runs=runs,
            tables_of_run=tables_of_run,
            amounts=IntervalIndex.build(
                (amount.unit, amount.low, amount.high, at) for at, (_, amount) in enumerate(amounts)
            ),
            row_of_amount=np.array([row for row, _ in amounts], dtype=np.int32),
            is_step=np.array([amount.is_step for _, amount in amounts], dtype=np.bool_),
            longest=np.array([_longest((*names_of_row, *shared_of_row)), _longest(runs_of_table)], dtype=np.int64),
        )

    def row(self, table: str, ordinal: int) -> int:
        """Return the number of a row; -1 if there is no such row."""
        numbers = np.flatnonzero(self.tables == np.uint64(hash_of((table,))))
        for number in numbers.tolist():
            start, stop = self.rows[number], self.rows[number + 1]
            position = int(np.searchsorted(self.ordinals[start:stop], ordinal))
            if position < stop - start and self.ordinals[start + position] == ordinal:
                return int(start) + position
        return -1

    def rows_at(self, positions: Integers) -> Integers:
        """Return the row of the chunk at each position; -1 if there is none."""
        if not len(self.positions):
            return np.full(len(positions), -1, dtype=np.int64)
        # Only the entries that this search needs are read from the mapped arrays.
        position = np.searchsorted(self.positions, positions, sorter=self.by_position)
        row = self.by_position[np.minimum(position, len(self.positions) - 1)].astype(np.int64)
        return np.where(self.positions[row] == positions, row, -1)

    def rows_holding(self, amount: AmountInterval, *, steps: bool = False) -> Integers:
        """Return the rows that represent an amount, ascending: both of its ends are in one of their amounts, or in one
        of their steps."""
        low, high = (self.amounts.overlapping(amount.unit, end, end) for end in (amount.low, amount.high))
        held = np.intersect1d(low, high)
        return np.unique(self.row_of_amount[held[self.is_step[held]] if steps else held]).astype(np.int64)


def _words(table: TableWords) -> Iterable[str]:
    return chain(table.heads, table.title, *(row.words for row in table.rows.values()))


def hashes_of(numbers: Iterable[int]) -> Hashes:
    """Return numbers as an array of hashes."""
    return np.array(list(numbers), dtype=np.uint64)


def _numbered(runs: Iterable[tuple[str, ...]]) -> Hashes:
    """Return the hashes of distinct runs, ascending."""
    return np.unique(hashes_of(map(hash_of, set(runs))))


def _numbers(lists: Sequence[frozenset[str]], words: Hashes) -> Lists:
    """Return each word as its index in the ascending array."""
    flat = hashes_of(hash_of((word,)) for terms in lists for word in sorted(terms))
    return RaggedArray.of_sizes(list(map(len, lists)), places_of(flat, words).astype(np.int32))


def _inverted(lists: Sequence[frozenset[tuple[str, ...]]]) -> tuple[Hashes, Lists]:
    """Return the distinct runs as ascending hashes, and for each the lists that contain it."""
    numbers = _numbered(chain.from_iterable(lists))
    places = [places_of(hashes_of(map(hash_of, sorted(runs))), numbers).tolist() for runs in lists]
    lists_of_number = RaggedArray.invert(places, len(numbers))
    return numbers, RaggedArray(lists_of_number.starts, lists_of_number.items.astype(np.int32))


def _longest(runs: Iterable[frozenset[tuple[str, ...]]]) -> int:
    return max(map(len, chain.from_iterable(runs)), default=0)
