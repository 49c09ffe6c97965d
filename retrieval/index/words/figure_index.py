"""The quantities of a library: what numbers a row's cells, its columns and its headings stand for."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isinf
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.term_table import TermTable
from retrieval.index.words.first_chunks import first_chunks
from retrieval.index.words.tokenizer import Tokenize
from retrieval.quantities import Quantity, quantities, whole_quantity
from retrieval.quantities.quantity import AS_TEXT, beyond
from retrieval.ragged import RaggedArray
from retrieval.types import Chunk

LONGEST = 60
"""Characters of a cell that may be one quantity; a longer one is a sentence."""
CELLS = 32
"""Cells of a row that are read."""
HEAD = -1
"""The cell of a quantity that stands in a heading."""
BARE = -1
"""The unit of a bare number, the label of one without; a word that the lexical index does not have."""
_SHORTEST = 2
"""Letters of an abbreviation at least."""
STRANGE = -2
"""A unit or a label that no quantity of the library has."""
DEGREES = "celsius"
"""The base unit of temperatures, the one dimension whose units begin at another zero."""
UNIT, WORD, LABEL, IS_FRACTION = range(4)

_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"\W*(?:[^()]*\()?([A-Z])\)?\W*")

Cells = npt.NDArray[np.int16]
Ends = npt.NDArray[np.float64]
Marks = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Quantities of chunks, or of tables; three aligned arrays."""

    cell: RaggedArray[np.int16]
    """Which cell each is in; for tables which column, or `HEAD`."""
    ends: Ends
    """(m, 4): low and high in the base unit, low and high as written."""
    marks: Marks
    """(m, 4): number of the unit, the unit as a word of the lexical index, number of the label, whether a fraction."""

    @classmethod
    def build(cls, found: Sequence[Sequence[tuple[int, Quantity]]], units: TermTable, terms: "WordOf") -> "Figures":
        """Lay out quantities with their cells, by chunk or by table."""
        flat = [quantity for each in found for _, quantity in each]
        ends = np.asarray([(each.low, each.high, *each.written) for each in flat], dtype=np.float64).reshape(-1, 4)
        numbers = cache(lambda name: unit_number(units, name))
        marks = [(numbers(each.unit), terms(each.unit), numbers(each.label), each.kind == "fraction") for each in flat]
        return cls(
            RaggedArray.build([[cell for cell, _ in each] for each in found], np.int16),
            ends,
            np.asarray(marks, dtype=np.int32).reshape(-1, 4),
        )

    def save(self, folder: Path, name: str) -> None:
        """Write the arrays."""
        self.cell.save(folder, f"{name}_cell", f"{name}_starts")
        save_array(folder / f"{name}_ends.npy", self.ends)
        save_array(folder / f"{name}_marks.npy", self.marks)

    @classmethod
    def load(cls, folder: Path, name: str) -> "Figures":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            RaggedArray.load(folder, np.int16, f"{name}_cell", f"{name}_starts"),
            load_array(folder / f"{name}_ends.npy", np.float64),
            load_array(folder / f"{name}_marks.npy", np.int32),
        )


WordOf = Callable[[str | None], int]
"""A unit as a word of the lexical index, or `BARE`."""


@dataclass(frozen=True, slots=True, eq=False)
class FigureIndex:
    """What is a number in a library. Kinds that have no place on the line of numbers are left out."""

    units: TermTable
    """Distinct units and labels."""
    rows: Figures
    """By chunk: cells that are one quantity."""
    tables: Figures
    """By table: those in its columns, its caption and its nearest headings."""
    key_cell: Cells
    """(n_chunks,): the cell that picks the row, or -1."""
    code: npt.NDArray[np.uint8]
    """(n_chunks,): the capital letter that the key is or that stands beside it in brackets; 0: none."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32], terms: TermTable, tokenize: Tokenize
    ) -> "FigureIndex":
        """Index chunks; the arguments are those of `FieldIndex.build`."""
        whole, within = cache(whole_quantity), cache(quantities)
        tables = first_chunks(chunks, of)
        rows = [list(_of_row(chunk, whole, within)) if chunk.table_id is not None else [] for chunk in chunks]
        _close_ladders(rows, chunks, of)
        heads = [list(_of_table(table, within)) for table in tables]
        said = {name for each in (*rows, *heads) for _, found in each for name in (found.unit, found.label) if name}
        units = TermTable.build(sorted(name.encode() for name in said))
        word = cache(lambda unit: _word(unit, terms, tokenize))
        return cls(
            units,
            Figures.build(rows, units, word),
            Figures.build(heads, units, word),
            np.fromiter(map(_key_cell, chunks), np.int16, count=len(chunks)),
            np.fromiter(map(_code, chunks), np.uint8, count=len(chunks)),
        )

    @property
    def percent(self) -> int:
        """The number of the unit of percentages; `STRANGE` where the library has none."""
        return unit_number(self.units, "percent")

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        self.units.save(folder)
        self.rows.save(folder, "rows")
        self.tables.save(folder, "tables")
        save_array(folder / "key_cell.npy", self.key_cell)
        save_array(folder / "code.npy", self.code)

    @classmethod
    def load(cls, folder: Path) -> "FigureIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            TermTable.load(folder),
            Figures.load(folder, "rows"),
            Figures.load(folder, "tables"),
            load_array(folder / "key_cell.npy", np.int16),
            load_array(folder / "code.npy", np.uint8),
        )


def unit_number(units: TermTable, name: str | None) -> int:
    """The number of a unit or label, or of what is short for it; `BARE` for None, `STRANGE` where the library has none.

    A book that counts in `th` has no `thaler`: the longest beginning that it has is what it calls it.
    """
    if name is None:
        return BARE
    shorter = range(len(name) - 1, _SHORTEST - 1, -1)
    known = units.words([name, *(name[:length] for length in shorter)])
    return next((at for at in known if at is not None), STRANGE)


def _of_row(
    chunk: Chunk, whole: Callable[[str], Quantity | None], within: Callable[[str], Iterable[Quantity]]
) -> Iterator[tuple[int, Quantity]]:
    key = _key_cell(chunk)
    for place, cell in enumerate(chunk.cells[:CELLS]):
        found = whole(cell) if 0 < len(cell) <= LONGEST else None
        if found is None and place == key and len(cell) <= LONGEST:
            found = _step(within(cell))
        if found is not None and found.kind not in AS_TEXT:
            yield place, found


def _close_ladders(
    rows: Sequence[list[tuple[int, Quantity]]], chunks: Sequence[Chunk], of: npt.NDArray[np.int32]
) -> None:
    """Let keys that are open at one end stop at the next: 10 g is in `up to 20 g`, and not in `up to 50 g` below it."""
    # A snapshot keeps its chunks by id: the order of a table's rows is that of their lines.
    order = sorted(range(len(rows)), key=lambda position: chunks[position].lines)
    for upwards in (False, True):
        last: dict[tuple[int, str | None], float] = {}
        for position in order[:: -1 if upwards else 1]:
            row, key = rows[position], _key_cell(chunks[position])
            place = next((place for place, (cell, _) in enumerate(row) if cell == key), None)
            if place is None:
                continue
            found = row[place][1]
            ladder = (int(of[position]), found.unit)
            row[place] = (key, _closed(found, last.get(ladder), upwards=upwards))
            last[ladder] = found.low if upwards else found.high


def _closed(found: Quantity, bound: float | None, *, upwards: bool) -> Quantity:
    """An open interval up to the bound of the next; as it is where that is no step further on."""
    if bound is None or isinf(bound) or isinf(found.low) == isinf(found.high) or isinf(found.high) != upwards:
        return found
    if upwards:
        low, high = found.low, -beyond(-bound)
    else:
        low, high = beyond(bound), found.high
    # The end that is there tells how many of the text's units a base unit is; degrees have another zero.
    there, written = (low, found.written[0]) if upwards else (high, found.written[1])
    if low > high or not there or (found.unit == DEGREES and written != there):
        return found
    return replace(found, low=low, high=high, written=(low * written / there, high * written / there))


def _step(found: Iterable[Quantity]) -> Quantity | None:
    """The one interval among the words of a key: `Parcel over 5 to 20 kg`."""
    spread = [each for each in found if each.kind in ("range", "open")]
    return spread[0] if len(spread) == 1 else None


def _of_table(chunk: Chunk, within: Callable[[str], Iterable[Quantity]]) -> Iterator[tuple[int, Quantity]]:
    heads = (*chunk.heading_path[-2:], chunk.caption or "")
    columns = chunk.columns if chunk.table_id is not None else ()
    for place, text in (*((HEAD, head) for head in heads), *enumerate(columns)):
        if _DIGIT.search(text):
            yield from ((place, found) for found in within(text) if found.kind not in AS_TEXT)


def _word(unit: str | None, terms: TermTable, tokenize: Tokenize) -> int:
    words = tokenize(unit) if unit else ()
    at = terms.position(words[0]) if words else None
    return BARE if at is None else at


def _key_cell(chunk: Chunk) -> int:
    return chunk.cells.index(chunk.row_key) if chunk.row_key in chunk.cells else -1


def _code(chunk: Chunk) -> int:
    match = _CODE.fullmatch(chunk.row_key) if chunk.table_id is not None and chunk.row_key else None
    return ord(match[1]) if match else 0
