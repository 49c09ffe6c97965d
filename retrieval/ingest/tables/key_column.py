"""The rows of a table under their groups, and the column with their keys."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from retrieval.language.numbers.cells import is_numeric
from retrieval.language.numbers.columns import figure_of_cell

RowRole = Literal["data", "label", "note", "heading"]


@dataclass(frozen=True, slots=True)
class ReadRow:
    """One source row with its role. `ordinal` counts the rows of the source table."""

    ordinal: int
    role: RowRole
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    label: str | None = None
    """The label row above, if the table has such rows."""


_DASHES = re.compile(r"(?P<dashes>(?:[-–—]\s+)+)(?=[^\W\d_]|\d+\s)")
_LONGEST_KEY = 120
"""Most characters of a key; a longer cell is a text."""
LONGEST_PART = 60
"""Most characters of a cell that is part of a key."""
_MOST_TOGETHER, _FEWEST_TOGETHER = 3, 4
"""Columns that may be a key together, and fewest rows with such a key."""
_DISTINCT = 0.9
"""Least share of distinct cells in a column that distinguishes the rows."""
_FEWEST_GROUPED = 2
"""Fewest cells with a dash that indicate levels, since a single dash is a mark; also fewest steps of a scale."""
_STEPS = 5
"""Steps of a scale for each one that may be out of order."""
_ITEM = re.compile(r"(?P<table>\d+(?:\.\d+)*)\.\d+\.?")
_AMOUNT = re.compile(r"\b(?:amounts?|quantit(?:y|ies)|qty)\b", re.IGNORECASE)
_RECIPE = frozenset({"kilogram", "litre"})
"""Units of recipes: a column of masses and volumes is not a scale."""
_NAME = re.compile(r"[^\W\d_]{3}")
_BRACKETS = re.compile(r"\([^()]*\)")
_MOST_WORDS = 6
"""Most words of an ingredient, except those in brackets; a longer cell describes the effect of an amount."""
_NUMBERING = re.compile(r"\W*|(?:(?:s|sr|sl|serial)\W*)?(?:no|nr|number)\W*", re.IGNORECASE)


def under_groups(rows: Iterable[ReadRow]) -> Iterator[ReadRow]:
    """Yield the rows; one with a blank first cell gets the last first cell above it as a label."""
    above: tuple[str, ...] = ()
    for row in rows:
        if row.role != "data":
            above = ()
        elif row.cells[0]:
            above = row.cells
        elif above and any(row.cells):
            yield _under(row, _group(above, row.cells))
            continue
        yield row


def _group(above: tuple[str, ...], cells: tuple[str, ...]) -> str:
    """Return the first cell above; with the words beside it if this row fills a cell that is blank in the row above."""
    deeper = any(cell and not over for cell, over in zip(cells, above, strict=True))
    words = next((cell for cell in above[1:] if not is_numeric(cell) and cell), "") if deeper else ""
    return f"{above[0]} {words}".strip()


def under_parents(rows: Sequence[ReadRow]) -> Iterator[ReadRow]:
    """Yield the rows with labels for levels of dashes, as in tariffs: `Coffee`, `– Roasted`, `– – Decaffeinated`."""
    column = _stepped_column(rows)
    parents: list[str] = []
    for row in rows:
        if row.role != "data" or column is None or not row.cells[column]:
            parents = parents if row.role == "data" else []
            yield row
            continue
        depth, text = _step(row.cells[column])
        del parents[depth:]
        yield _under(row, *parents)
        # A missing level is filled with this one.
        parents += [text.rstrip(" :,;")] * (depth + 1 - len(parents))


def _stepped_column(rows: Sequence[ReadRow]) -> int | None:
    """Return the first column in which cells that begin with dashes follow one that does not."""
    data_cells = [row.cells for row in rows if row.role == "data"]
    for column in range(len(data_cells[0]) if data_cells else 0):
        depths = [_step(cells[column])[0] for cells in data_cells if cells[column]]
        if sum(depth > 0 for depth in depths) >= _FEWEST_GROUPED and depths[0] == 0:
            return column
    return None


def _step(cell: str) -> tuple[int, str]:
    match = _DASHES.match(cell)
    return (len(match["dashes"].split()), cell[match.end() :]) if match else (0, cell)


def _under(row: ReadRow, *above: str) -> ReadRow:
    above_row = row.label or ""
    new = [label for label in dict.fromkeys(above) if label and label not in above_row]
    return replace(row, label=", ".join([above_row, *new] if above_row else new)) if new else row


def key_column(rows: Sequence[ReadRow]) -> int:
    """Return the leftmost column whose cells distinguish the rows; the first if there is none.

    If the columns to its left do so together, it is the last that is needed: `Region` of `Plan`, `Region` and `Price`,
    where each plan has a price in each region. If a column to its left distinguishes the rows of each group, it is that
    column, unless it contains codes: `6 months` under `Redirection inland` and again under `Redirection abroad`, not a
    price. If it only numbers the lines of a scale, it is the scale: `Vessels 12,001 GT to 25,000 GT` to the right of
    `10.4`. If it gives the amounts of ingredients, it is the ingredients: `Flour` to the right of `500 g`.

    Args:
        rows: with the table's own columns.
    """
    data_rows = [row for row in rows if row.role == "data"]
    alone = _telling_apart([row.cells for row in data_rows], [""] * len(data_rows))
    column = alone or 0
    if data_rows and _are_item_numbers(data_rows, column) and _is_scale(data_rows, column + 1):
        return column + 1
    if data_rows and _are_amounts(data_rows, column) and _are_things(data_rows, column + 1):
        return column + 1
    if alone != 0 and (together := _telling_together([row.cells for row in data_rows], alone)):
        return together
    groups = _groups(data_rows)
    if not column or not any(groups):
        return column
    grouped = [(row.cells[:column], group) for row, group in zip(data_rows, groups, strict=True) if any(row.cells[1:])]
    within = _telling_apart([cells for cells, _ in grouped], [group for _, group in grouped])
    if not within or (_is_of_numbers(data_rows, within) and not _is_of_numbers(data_rows, column)):
        return column
    return within


def _is_of_numbers(data_rows: Sequence[ReadRow], column: int) -> bool:
    return all(is_numeric(row.cells[column]) for row in data_rows if row.cells[column])


def _are_item_numbers(data_rows: Sequence[ReadRow], column: int) -> bool:
    """Whether cells are `10.1`, `10.2`, `10.3`, or numbers under `No.`, by which no question refers to a line."""
    cells = [row.cells[column] for row in data_rows if row.cells[column]]
    if _NUMBERING.fullmatch(data_rows[0].columns[column]) and all(is_numeric(cell) for cell in cells):
        return True
    items = [_ITEM.fullmatch(cell) for cell in cells]
    return len({item and item["table"] for item in items}) == 1 and items[0] is not None


def _is_scale(data_rows: Sequence[ReadRow], column: int) -> bool:
    """Whether at least half of a column's cells are ordered steps within words: `Vessels LOA: up to 100 m`."""
    cells = [row.cells[column] for row in data_rows] if column < len(data_rows[0].cells) else []
    read = [figure_of_cell(cell, "", is_key=True) for cell in cells if not is_numeric(cell)]
    steps = [(step.low, step.high) for step in read if step]
    rises = [low <= above[0] and high <= above[1] for (low, high), above in pairwise(steps)]
    falls = [low >= below[0] and high >= below[1] for (low, high), below in pairwise(steps)]
    # A long ladder may contain a mistaken step: `< 3,000 & Above`.
    is_ladder = min(rises.count(False), falls.count(False)) <= len(steps) // _STEPS and len(set(steps)) == len(steps)
    return is_ladder and len(steps) >= max(_FEWEST_GROUPED, len(cells) / 2) and len(set(cells)) == len(cells)


def _are_amounts(data_rows: Sequence[ReadRow], column: int) -> bool:
    """Whether cells are amounts of ingredients: `5 g` and `20 ml` without ranges, or numbers under `Qty`."""
    cells = [row.cells[column] for row in data_rows if row.cells[column]]
    read = [figure for cell in cells if (figure := figure_of_cell(cell, "", is_key=True))]
    if 2 * len(read) < len(cells) or any(figure.low != figure.high for figure in read):
        return False
    return {figure.unit for figure in read} >= _RECIPE or bool(_AMOUNT.search(data_rows[0].columns[column]))


def _are_things(data_rows: Sequence[ReadRow], column: int) -> bool:
    """Whether the cells of a column are distinct names."""
    cells = [row.cells[column] for row in data_rows] if column < len(data_rows[0].cells) else []
    named = [len(_BRACKETS.sub("", cell).split()) <= _MOST_WORDS for cell in cells if _NAME.search(cell)]
    return len(set(cells)) == len(cells) > 0 and all(named) and 2 * len(named) >= len(cells)


def _telling_apart(data_cells: Sequence[tuple[str, ...]], groups: Sequence[str]) -> int | None:
    """Return the leftmost column whose cells distinguish the rows of each group; None if there is none."""
    for column in range(len(data_cells[0]) if data_cells else 0):
        cells = [(group, row[column]) for group, row in zip(groups, data_cells, strict=True)]
        filled = [cell for cell in cells if cell[1].strip(" -–—")]
        # A row outside of the groups may lack the cell that distinguishes the rows of a group.
        blank = max(0.1 * len(cells), float(any(groups)))
        enough = len(cells) - len(filled) <= blank and len(set(filled)) >= _DISTINCT * len(filled)
        if enough and filled and max(len(cell) for _, cell in filled) <= _LONGEST_KEY:
            return column
    return None


def _telling_together(data_cells: Sequence[tuple[str, ...]], alone: int | None) -> int | None:
    """Return the last of two or three first columns that only together distinguish all rows; None if they do not.

    Args:
        alone: the column that distinguishes the rows alone, to the right of them; None if there is none.
    """
    if len(data_cells) < _FEWEST_TOGETHER:
        return None
    for last in range(1, min(_MOST_TOGETHER, alone or len(data_cells[0]) - 1)):
        cells = [row[: last + 1] for row in data_cells]
        is_short = all(0 < len(cell) <= LONGEST_PART for row in cells for cell in row)
        if is_short and len(set(cells)) == len(cells):
            return last
    return None


def keys_are_in_groups(rows: Sequence[ReadRow], key: int) -> bool:
    """Whether a row is identified by its key only together with the cells to its left, or with the first cell above.

    Args:
        rows: with the table's own columns.
        key: the column of the keys.
    """
    data_rows = [row for row in rows if row.role == "data"]
    is_joint = len({row.cells[key] for row in data_rows}) < _DISTINCT * len(data_rows)
    return key > 0 and (is_joint or any(_groups(data_rows)))


def with_first_cells(rows: Sequence[ReadRow]) -> list[ReadRow]:
    """Return the data rows; one with a blank first cell has the first cell above it, or its label."""
    data_rows = [row for row in rows if row.role == "data"]
    groups = zip(data_rows, _groups(data_rows), strict=True)
    return [replace(row, cells=(row.cells[0] or group, *row.cells[1:])) for row, group in groups]


def _groups(data_rows: Sequence[ReadRow]) -> list[str]:
    """Return the first cell at or above each row, or its label; empty in a table without blank first cells."""
    groups, group = [], ""
    for row in data_rows:
        group = row.cells[0] or row.label or group
        groups.append(group)
    return groups if any(not row.cells[0] for row in data_rows) else [""] * len(data_rows)
