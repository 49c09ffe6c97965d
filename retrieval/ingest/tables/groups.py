"""Rows that stand under others: below a first cell that is not said again, or below a line with fewer dashes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.values import is_numeric
from retrieval.quantities.columns import figure_of_cell

_DASHES = re.compile(r"(?P<dashes>(?:[-–—]\s+)+)(?=[^\W\d_]|\d+\s)")
_LONGEST_KEY = 120
"""In characters; a longer cell is a text and picks no row."""
_FEWEST_GROUPED = 2
"""Cells that begin with a dash; of a single one it is a mark, and no step down. As few steps are no scale either."""
_STEPS = 5
"""Steps of a scale among which one may be out of order."""
_ITEM = re.compile(r"(?P<table>\d+(?:\.\d+)*)\.\d+\.?")
_AMOUNT = re.compile(r"\b(?:amounts?|quantit(?:y|ies)|qty)\b", re.IGNORECASE)
_RECIPE = frozenset({"kilogram", "litre"})
"""A column of masses and volumes is no scale."""
_NAME = re.compile(r"[^\W\d_]{3}")
_BRACKETS = re.compile(r"\([^()]*\)")
_MOST_WORDS = 6
"""Words of what is measured out, but for those in brackets; a longer cell says what an amount does."""
_NUMBERING = re.compile(r"\W*|(?:(?:s|sr|sl|serial)\W*)?(?:no|nr|number)\W*", re.IGNORECASE)


def under_groups(rows: Iterable[ReadRow]) -> Iterator[ReadRow]:
    """The rows; one with a blank first cell stands under the last first cell above it, which is not said again."""
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
    """The first cell above; with the words beside it, if these rows say something that the row above leaves open."""
    deeper = any(cell and not over for cell, over in zip(cells, above, strict=True))
    words = next((cell for cell in above[1:] if not is_numeric(cell) and cell), "") if deeper else ""
    return f"{above[0]} {words}".strip()


def under_parents(rows: Sequence[ReadRow]) -> Iterator[ReadRow]:
    """The rows; `– – Decaffeinated` stands under the `– Roasted` and the `Coffee` above it, as tariffs write it."""
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
        # A step that is left out counts for the one above it.
        parents += [text.rstrip(" :,;")] * (depth + 1 - len(parents))


def _stepped_column(rows: Sequence[ReadRow]) -> int | None:
    """The first column with cells that begin with dashes, below one that does not."""
    data = [row.cells for row in rows if row.role == "data"]
    for column in range(len(data[0]) if data else 0):
        depths = [_step(cells[column])[0] for cells in data if cells[column]]
        if sum(depth > 0 for depth in depths) >= _FEWEST_GROUPED and depths[0] == 0:
            return column
    return None


def _step(cell: str) -> tuple[int, str]:
    match = _DASHES.match(cell)
    return (len(match["dashes"].split()), cell[match.end() :]) if match else (0, cell)


def _under(row: ReadRow, *above: str) -> ReadRow:
    said = row.label or ""
    new = [each for each in dict.fromkeys(above) if each and each not in said]
    return replace(row, label=", ".join([said, *new] if said else new)) if new else row


def key_column(rows: Sequence[ReadRow]) -> int:
    """The leftmost column whose cells tell the rows apart; the first where none does.

    Where that is a column of numbers right of one that tells the rows of each group apart, it is that one: `6 months`
    under `Redirection inland` and again under `Redirection abroad`, and no price. Where it only numbers the lines of a
    scale, it is the scale: `Vessels 12,001 GT to 25,000 GT` right of `10.4`. And where it says how much to take, it is
    what to take: `Flour` right of `500 g`.

    Args:
        rows: those with the table's own columns.
    """
    data = [row for row in rows if row.role == "data"]
    column = _telling_apart([row.cells for row in data], [""] * len(data))
    if data and _are_item_numbers(data, column) and _is_scale(data, column + 1):
        return column + 1
    if data and _are_amounts(data, column) and _are_things(data, column + 1):
        return column + 1
    groups = _groups(data)
    if not column or not any(groups) or not all(is_numeric(row.cells[column]) for row in data if row.cells[column]):
        return column
    return _telling_apart([row.cells[:column] for row in data], groups) or column


def _are_item_numbers(data: Sequence[ReadRow], column: int) -> bool:
    """Whether cells are `10.1`, `10.2`, `10.3`, or numbers under `No.`: nobody asks for a line by that."""
    cells = [row.cells[column] for row in data if row.cells[column]]
    if _NUMBERING.fullmatch(data[0].columns[column]) and all(is_numeric(cell) for cell in cells):
        return True
    items = [_ITEM.fullmatch(cell) for cell in cells]
    return len({item and item["table"] for item in items}) == 1 and items[0] is not None


def _is_scale(data: Sequence[ReadRow], column: int) -> bool:
    """Whether half of a column's cells, or more, are steps up or down among words: `Vessels LOA: up to 100 m`."""
    cells = [row.cells[column] for row in data] if column < len(data[0].cells) else []
    read = [figure_of_cell(cell, "", is_key=True) for cell in cells if not is_numeric(cell)]
    steps = [(step.low, step.high) for step in read if step]
    rises = [low <= above[0] and high <= above[1] for (low, high), above in pairwise(steps)]
    falls = [low >= below[0] and high >= below[1] for (low, high), below in pairwise(steps)]
    # A long ladder may have a step that is written wrong: `< 3,000 & Above`.
    is_ladder = min(rises.count(False), falls.count(False)) <= len(steps) // _STEPS and len(set(steps)) == len(steps)
    return is_ladder and len(steps) >= max(_FEWEST_GROUPED, len(cells) / 2) and len(set(cells)) == len(cells)


def _are_amounts(data: Sequence[ReadRow], column: int) -> bool:
    """Whether cells say how much to take of something: `5 g`, `20 ml` and no steps, or numbers under `Qty`."""
    cells = [row.cells[column] for row in data if row.cells[column]]
    read = [figure for cell in cells if (figure := figure_of_cell(cell, "", is_key=True))]
    if 2 * len(read) < len(cells) or any(figure.low != figure.high for figure in read):
        return False
    return {figure.unit for figure in read} >= _RECIPE or bool(_AMOUNT.search(data[0].columns[column]))


def _are_things(data: Sequence[ReadRow], column: int) -> bool:
    """Whether the cells of a column are names, each once."""
    cells = [row.cells[column] for row in data] if column < len(data[0].cells) else []
    named = [len(_BRACKETS.sub("", cell).split()) <= _MOST_WORDS for cell in cells if _NAME.search(cell)]
    return len(set(cells)) == len(cells) > 0 and all(named) and 2 * len(named) >= len(cells)


def _telling_apart(data: Sequence[tuple[str, ...]], groups: Sequence[str]) -> int:
    for column in range(len(data[0]) if data else 0):
        cells = [(group, row[column]) for group, row in zip(groups, data, strict=True)]
        filled = [cell for cell in cells if cell[1].strip(" -–—")]
        # A line that stands by itself among groups need not have what tells the rows of a group apart.
        blank = max(0.1 * len(cells), float(any(groups)))
        enough = len(cells) - len(filled) <= blank and len(set(filled)) >= 0.9 * len(filled)
        if enough and max(len(cell) for _, cell in filled) <= _LONGEST_KEY:
            return column
    return 0


def _groups(data: Sequence[ReadRow]) -> list[str]:
    """The first cell that each row stands under; empty in a table that says every first cell."""
    found, group = [], ""
    for row in data:
        group = row.cells[0] or group
        found.append(group)
    return found if any(not row.cells[0] for row in data) else [""] * len(data)
