"""The quantities of a library, in the cells of rows, in columns and in headings."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray
from retrieval.index.term_table import TermTable
from retrieval.index.words.field_index import first_chunks
from retrieval.language.numbers import Quantity, quantities
from retrieval.language.numbers.columns import closed_ladder, figure_of_cell, joined
from retrieval.language.numbers.quantity import AS_TEXT, short_for
from retrieval.language.terms import Tokenize
from retrieval.types import Chunk

CELLS = 32
"""The number of a row's first cells that are read."""
HEAD = -1
"""The cell number of a quantity in a heading."""
BARE = -1
"""The number for a missing unit, a missing label, or a word that the lexical index does not have."""
STRANGE = -2
"""The number of a unit or label that no quantity of the library has."""
UNIT, WORD, LABEL, IS_FRACTION = range(4)

_DIGIT = re.compile(r"\d")

Cells = npt.NDArray[np.int16]
Ends = npt.NDArray[np.float64]
Marks = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Quantities of chunks, or of tables; three aligned arrays."""

    cell: RaggedArray[np.int16]
    """The cell of each quantity; for tables its column, or `HEAD`."""
    ends: Ends
    """(m, 4): low and high in the base unit, low and high as written."""
    marks: Marks
    """(m, 4): number of the unit, the unit as a word of the lexical index, number of the label, whether a fraction."""

    @classmethod
    def build(
        cls, quantities_of: Sequence[Sequence[tuple[int, Quantity]]], units: TermTable, terms: "WordOf"
    ) -> "Figures":
        """Build the arrays from quantities with their cells, by chunk or by table."""
        flat = [quantity for cells in quantities_of for _, quantity in cells]
        ends = np.asarray(
            [(quantity.low, quantity.high, *quantity.written) for quantity in flat], dtype=np.float64
        ).reshape(-1, 4)
        numbers = cache(lambda name: unit_number(units, name))
        marks = [
            (numbers(quantity.unit), terms(quantity.unit), numbers(quantity.label), quantity.kind == "fraction")
            for quantity in flat
        ]
        return cls(
            RaggedArray.build([[cell for cell, _ in cells] for cells in quantities_of], np.int16),
            ends,
            np.asarray(marks, dtype=np.int32).reshape(-1, 4),
        )


WordOf = Callable[[str | None], int]
"""Returns the number of a unit's word in the lexical index, or `BARE`."""


@dataclass(frozen=True, slots=True, eq=False)
class FigureIndex:
    """The numbers in a library. Kinds of quantities that cannot be ordered are omitted."""

    units: TermTable
    """Distinct units and labels."""
    rows: Figures
    """By chunk: the cells that are a single quantity."""
    tables: Figures
    """By table: the quantities in its columns, its caption and its nearest headings."""
    key_cell: Cells
    """(n_chunks,): the cell that identifies the row, or -1."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32], terms: TermTable, tokenize: Tokenize
    ) -> "FigureIndex":
        """Index chunks, with the same arguments as `FieldIndex.build`."""
        within = cache(quantities)
        tables = first_chunks(chunks, of)
        rows = [list(_of_row(chunk)) if chunk.table_id is not None else [] for chunk in chunks]
        _close_ladders(rows, chunks, of)
        heads = [list(_of_table(table, within)) for table in tables]
        names = {
            name for row in (*rows, *heads) for _, quantity in row for name in (quantity.unit, quantity.label) if name
        }
        units = TermTable.build(sorted(name.encode() for name in names))
        word = cache(lambda unit: _word(unit, terms, tokenize))
        return cls(
            units,
            Figures.build(rows, units, word),
            Figures.build(heads, units, word),
            np.fromiter(map(key_cell, chunks), np.int16, count=len(chunks)),
        )

    @property
    def percent(self) -> int:
        """The number of the unit of percentages; `STRANGE` if the library has none."""
        return unit_number(self.units, "percent")


def unit_number(units: TermTable, name: str | None) -> int:
    """Return the number of a unit or label, or of its short form; `BARE` for None, `STRANGE` if it is unknown."""
    if name is None:
        return BARE
    return next((at for at in units.words(short_for(name)) if at is not None), STRANGE)


def _of_row(chunk: Chunk) -> Iterator[tuple[int, Quantity]]:
    for position, figure in enumerate(islice(cell_figures(chunk), CELLS)):
        if figure is not None:
            yield position, figure


def _close_ladders(
    rows: Sequence[list[tuple[int, Quantity]]], chunks: Sequence[Chunk], of: npt.NDArray[np.int32]
) -> None:
    """Close the open intervals in the keys of every table, in place."""
    # A snapshot has its chunks in the order of ids; the order of a table's rows is that of their lines.
    ladders: dict[int, list[tuple[int, int]]] = {}
    for position in sorted(range(len(rows)), key=lambda position: chunks[position].lines):
        key = key_cell(chunks[position])
        index = next((index for index, (cell, _) in enumerate(rows[position]) if cell == key), None)
        if index is not None:
            ladders.setdefault(int(of[position]), []).append((position, index))
    for ladder in ladders.values():
        keys = closed_ladder([rows[position][index][1] for position, index in ladder])
        for (position, index), closed in zip(ladder, keys, strict=True):
            if closed is not None:
                rows[position][index] = (rows[position][index][0], closed)


def _of_table(chunk: Chunk, within: Callable[[str], Iterable[Quantity]]) -> Iterator[tuple[int, Quantity]]:
    heads = (*chunk.heading_path[-2:], chunk.caption or "")
    columns = chunk.columns if chunk.table_id is not None else ()
    for position, text in (*((HEAD, head) for head in heads), *enumerate(columns)):
        if _DIGIT.search(text):
            yield from ((position, quantity) for quantity in within(text) if quantity.kind not in AS_TEXT)


def _word(unit: str | None, terms: TermTable, tokenize: Tokenize) -> int:
    words = tokenize(unit) if unit else ()
    at = terms.position(words[0]) if words else None
    return BARE if at is None else at


def key_cell(chunk: Chunk) -> int:
    """Return the index of the cell that identifies a row; -1 if there is none."""
    return chunk.cells.index(chunk.row_key) if chunk.row_key in chunk.cells else -1


def column_of(chunk: Chunk, cell: int) -> str:
    """Return the heading of a cell's column; empty if there is none."""
    return chunk.columns[cell] if cell < len(chunk.columns) else ""


def cell_figures(chunk: Chunk) -> Sequence[Quantity | None]:
    """Return the quantity of each cell; None if it is not a number, or ends the interval of the cell before it."""
    key = key_cell(chunk)
    figures = [figure_of_cell(cell, column_of(chunk, at), is_key=at == key) for at, cell in enumerate(chunk.cells)]
    return joined(chunk.columns, figures)
