"""The reading of a table: its header, its labels, and the key column."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.header import joined_headers, part_heads, realigned, stacked_header
from retrieval.ingest.tables.key_column import ReadRow, RowRole, key_column, under_groups, under_parents
from retrieval.ingest.tables.table import Table, TableRow, named_columns
from retrieval.language.canonical import canonical_term
from retrieval.language.identifiers import is_address
from retrieval.language.numbers.cells import is_numeric, parse_range
from retrieval.language.numbers.columns import figure_of_cell
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.sibling_mentions import Speech, row_amounts

_DIGIT = re.compile(r"\d")
_FOOTNOTE = re.compile(r"\s*(?:[*†‡§]|\d\s+\S|note\b)", re.IGNORECASE)
_COUNTED = re.compile(r"\s*\d+(?:st|nd|rd|th)[\s-]+[A-Za-z]")
_AXIS_NAME = re.compile(
    r"(?P<prefix>.*?)\s*(?<![\d.,])"
    r"(?P<place>[-−–]?\d+(?:st|nd|rd|th)?(?:\s*(?:-|–|to)\s*[-−–]?\d+(?:st|nd|rd|th)?|\s*\+)?)"
)
"""A name with a place on an axis, but not the 05 in a dose of 0.05 or the 11 in version 3.11."""
_BOLD_KEY = re.compile(r"\s*\|?\s*(\*\*|__)[^|]+\1\s*\|")
_CODE = re.compile(r"\w*[^\W\d_]-\d+")
MIN_AXIS = 3
"""Fewest columns with one name and different numbers that are an axis."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The second axis of a matrix: columns that share a name and differ in a number."""

    name: str
    columns: tuple[int, ...]
    places: tuple[str, ...]
    """The place of each column on the axis: `1-3`, `-10`, `13+`."""


@dataclass(frozen=True, slots=True)
class TableMeaning:
    """The meaning of a table. A `record` describes one thing by pairs; a `grid` describes one thing in each row."""

    kind: Literal["grid", "record"]
    columns: tuple[str, ...]
    rows: tuple[ReadRow, ...]
    key_column: int
    axis: Axis | None


def read_table(table: Table) -> TableMeaning:
    """Decide the role of every line of a table. Nothing is dropped: headings and labels are rows with a role.

    The owner's key column identifies the rows, and makes a grid of a table that would be a record. A table that the
    rules cannot read is a grid of its lines, with the first column as the key.
    """
    return attempt(
        lambda: _read(table),
        lambda: plain_reading(table),
        "the meaning of the lines of a table",
        table.document,
        table.lines[0],
    )


def plain_reading(table: Table) -> TableMeaning:
    """Return a table as a grid of its lines, regardless of their contents."""
    columns = named_columns(table.header)
    rows = tuple(
        ReadRow(ordinal, "data" if any(row.cells) else "note", columns, row.cells)
        for ordinal, row in enumerate(table.rows)
    )
    return TableMeaning("grid", columns, rows, 0, None)


def _read(table: Table) -> TableMeaning:
    if _is_record(table) and _own_key(table, table.header) is None:
        pairs = [row.cells for row in table.rows]
        rows = tuple(ReadRow(i, "data", table.header, cells) for i, cells in enumerate(pairs))
        return TableMeaning("record", table.header, rows, 0, None)
    grid = [row.cells for row in table.rows]
    is_headless = not any(table.header) and _has_bold_keys(table.rows)
    header, headings, title = (table.header, 0, None) if is_headless else stacked_header(table.header, grid)
    heads = part_heads(table.header, grid, [position for position, row in enumerate(table.rows) if row.underlined])
    if 0 in heads and not headings:
        header, headings = joined_headers(header, grid[0]), 1
    header, grid = realigned(header, grid, headings)
    columns = named_columns(header)
    bold = {position for position, row in enumerate(table.rows) if row.bold}
    rows = _with_roles(columns, grid, headings, title, heads, bold, narrow=len(table.header) == 2)
    rows = tuple(under_parents(tuple(under_groups(rows))))
    own = _own_key(table, columns)
    key = key_column([row for row in rows if row.columns == columns]) if own is None else own
    return TableMeaning("grid", columns, rows, key, find_axis(header))


def _has_bold_keys(rows: Sequence[TableRow]) -> bool:
    """Whether every non-blank first cell is bold, but no whole row, so that the bold is not that of a header."""
    keyed = [row for row in rows if row.cells[0]]
    return len(keyed) > 1 and all(_BOLD_KEY.match(row.source) and not row.bold for row in keyed)


def _own_key(table: Table, columns: Sequence[str]) -> int | None:
    return table.rule.key_column(columns) if table.rule else None


def _is_record(table: Table) -> bool:
    if len(table.header) != 2 or not table.rows:
        return False
    # The header of a stat block contains its first pair or, above the values, the kind of creature.
    titled = not table.header[0].strip()
    firsts = [row.cells[0].rstrip() for row in table.rows] + ([] if titled else [table.header[0].rstrip()])
    pairs = sum(cell.endswith(":") for cell in firsts)
    return pairs > len(firsts) / 2 if titled else firsts[-1].endswith(":") and pairs >= len(firsts) / 2


def _with_roles(
    columns: tuple[str, ...],
    grid: list[tuple[str, ...]],
    headings: int,
    title: str | None,
    heads: Container[int],
    bold: Container[int],
    *,
    narrow: bool,
) -> tuple[ReadRow, ...]:
    rows: list[ReadRow] = []
    label = title
    current = columns
    # A table of pairs that begins with a label has sections; in others, a row may merely lack a value.
    may_lack = narrow and bool(grid[headings:]) and _role(grid[headings]) != "label"
    for ordinal, cells in enumerate(grid):
        role: RowRole = "heading" if ordinal < headings else _role(cells)
        if ordinal >= headings and ordinal in heads:
            role, label, current = "heading", None, cells
        if role == "label" and may_lack and ordinal not in bold and _lacks_a_value(grid, ordinal):
            role = "data"
        if not any(cells) and rows and rows[-1].role == "data":
            label, current = title, columns  # a blank line ends the group above it
        if role == "label":
            label, current = next(cell for cell in cells if cell), columns
        elif role == "data" and rows and rows[-1].role == "label" and _is_subheading(grid, ordinal, rows):
            role = "heading"
            current = tuple(cell or name for cell, name in zip(cells, columns, strict=True))
        rows.append(ReadRow(ordinal, role, current, cells, None if role in ("label", "note") else label))
    if all(row.role in ("label", "note") for row in rows):
        # A one-column table: its lines are its content, not labels.
        rows = [replace(row, role="data", label=None) for row in rows]
    return tuple(rows)


def _role(cells: tuple[str, ...]) -> RowRole:
    filled = [cell for cell in cells if cell]
    spans = len(cells) > 1 and ((len(filled) == 1 and bool(cells[0])) or (len(filled) > 2 and len(set(cells)) == 1))
    if not spans or _is_number(cells[0]):
        return "data"
    return "note" if _FOOTNOTE.match(filled[0]) or len(filled[0]) > 80 else "label"


def _is_number(cell: str) -> bool:
    """Whether a row with this cell alone is data: `3` is a level without a feature, but `1st Level` is a label."""
    if is_numeric(cell):
        return True
    return parse_range(cell) is not None and not _COUNTED.match(cell) and not _FOOTNOTE.match(cell)


def _lacks_a_value(grid: list[tuple[str, ...]], ordinal: int) -> bool:
    around = grid[ordinal - 1 : ordinal] + grid[ordinal + 1 : ordinal + 2]
    return len(around) == 2 and all(all(cells) for cells in around)


def _is_subheading(grid: Sequence[tuple[str, ...]], ordinal: int, above: Sequence[ReadRow]) -> bool:
    cells = grid[ordinal]
    filled = _filled(cells)
    if any(row.role == "data" and row.columns == above[-1].columns and _filled(row.cells) == filled for row in above):
        # Rows under the table's own columns fill the same places, so this is another one.
        return False
    below = grid[ordinal + 1 : ordinal + 3]
    if len(filled) < 2 or len(filled) > len(cells) / 2 or any(_DIGIT.search(cell) for cell in cells) or not below:
        return False
    return all(_filled(row) == filled for row in below)


def _filled(cells: Sequence[str]) -> list[int]:
    return [position for position, cell in enumerate(cells) if cell]


def find_axis(columns: Sequence[str]) -> Axis | None:
    """Return the most columns that share a name and differ in a number or a range; None for fewer than three."""
    by_name: dict[str, list[tuple[int, str]]] = {}
    for index, column in enumerate(columns):
        if match := _AXIS_NAME.fullmatch(column.strip()):
            by_name.setdefault(match["prefix"].strip(" -–:").casefold(), []).append((index, match["place"]))
    if not by_name:
        return None
    name, entries = max(by_name.items(), key=lambda pair: (len(pair[1]), pair[0]))
    if len(entries) < MIN_AXIS or all(_is_code(columns[index]) for index, _ in entries):
        return None
    first = _AXIS_NAME.fullmatch(columns[entries[0][0]].strip())
    prefix = first["prefix"].strip(" -–:") if first else name
    return Axis(prefix, tuple(index for index, _ in entries), tuple(position for _, position in entries))


def _is_code(column: str) -> bool:
    """Whether a column is a code like `R-1`, which is not -1 if all columns are such codes."""
    return bool(_CODE.fullmatch(column.strip()))


MIN_NAMED = 2
"""Fewest rows that a question must be able to name, since one row has no rivals to exclude."""

Unkeyed = Literal["record", "single", "nameless"]
"""Why no row of a table is excluded: it describes one thing, it has one row, or its rows have no unique names."""


def why_unkeyed(reading: TableMeaning, names: Mapping[int, Sequence[str]], vocabulary: Vocabulary) -> Unkeyed | None:
    """Return why a table is not keyed; None if it is.

    Args:
        names: of its rows, by ordinal.
        vocabulary: defines the words that cannot be names.
    """
    if reading.kind == "record":
        return "record"
    data_rows = [row for row in reading.rows if row.role == "data" and any(row.cells)]
    if len(data_rows) < MIN_NAMED:
        return "single"
    speech = Speech.of(vocabulary)
    named = sum(
        any(
            is_address(name) or speech.is_name(canonical_term(name, vocabulary).split())
            for name in names.get(row.ordinal, ())
        )
        or _is_counted(reading, row)
        for row in data_rows
    )
    return None if named >= MIN_NAMED else "nameless"


def _is_counted(reading: TableMeaning, row: ReadRow) -> bool:
    """Whether the key is a number with a unit, such as `60` under `Temperature (°C)`."""
    key = reading.key_column
    figure = figure_of_cell(row.cells[key], row.columns[key], is_key=True)
    return figure is not None and any(amount.unit for amount in row_amounts(figure, row.columns[key]))
