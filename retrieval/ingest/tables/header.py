"""The header of a table, its grouped rows, and its key column."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, takewhile
from typing import Literal

from retrieval.language.numbers.cells import is_numeric, parse_range
from retrieval.language.numbers.columns import figure_of_cell
from retrieval.language.tokens import lone_sign, names_of_sign

_LETTER = re.compile(r"[^\W\d_]|(?P<quote>['\"`])[^\W\d_](?P=quote)|[‘“][^\W\d_][’”]")
_FEWEST = 3
"""Fewest distinct signs of a column that lists signs; fewer are marks: `✓`, `✗`, and `-` for nothing."""


def symbol_names(cell: str) -> tuple[str, ...]:
    """Return the names of a sign that is alone in a cell, with or without quotes; none for other cells."""
    sign = lone_sign(cell)
    return () if sign is None else names_of_sign(sign)


def lists_symbols(cells: Sequence[str]) -> bool:
    """Whether a column lists signs, and letters among them, that name its rows.

    Args:
        cells: of the column; blank ones are ignored.
    """
    signs = {sign for cell in cells if (sign := lone_sign(cell))}
    return len(signs) >= _FEWEST and _are_single(cells)


def goes_on(cell: str, below: Sequence[str]) -> bool:
    """Whether a cell is a sign, and at least half of those below are signs or letters, so that it is not a heading."""
    return lone_sign(cell) is not None and any(below) and _are_single(below)


def _are_single(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    single = sum(lone_sign(cell) is not None or _LETTER.fullmatch(cell) is not None for cell in filled)
    return 2 * single >= len(filled)


_DIGIT = re.compile(r"\d")
MIN_SPANNED = 4
"""Fewest columns of a table in which one text over all but the first is a heading above headings."""
MAX_LINES = 3
"""Most rows below the header that may continue it."""
_MOST_WORDS_OF_NAME = 5
"""Most words of a cell that may name a column without a header."""
MIN_NUMBERS = 4
"""Rows of numbers above which words are a heading if there is no other."""


def stacked_header(header: tuple[str, ...], grid: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], int, str | None]:
    """Return the effective header, the number of first rows that belong to it, and a title that spans the table."""
    if len(grid) < 2 or len(header) < 2 or (not any(header) and len(header) == 2 and not _names_numbers(grid)):
        return header, 0, None
    first = grid[0]
    wordy = sum(map(bool, first)) >= 2 and not any(_DIGIT.search(cell) or cell.endswith(":") for cell in first)
    listed = any(goes_on(cell, [row[column] for row in grid[1:]]) for column, cell in enumerate(first))
    is_row = listed or (not any(header) and _is_like_those_below(grid))
    if not any(header[1:]) and wordy and all(first[1:]) and not is_row:
        return first, 1, header[0] or None
    spanning = len(header) >= MIN_SPANNED and bool(header[1]) and len(set(header[1:])) == 1
    apart = first[0] == header[0] or _is_another_kind(grid)
    if spanning and apart and len(set(first[1:])) > 1 and all(first[1:]) and not parse_range(first[0]):
        return _joined(header, first), 1, None
    if lines := _lines_without_a_key(header, grid):
        upper = [_filled_forward(row) for row in (header, *lines[:-1])]
        return reduce(_joined, (*upper, lines[-1])), len(lines), None
    numbers_below = any(is_numeric(cell) for row in grid[1:6] for cell in row[1:] if cell)
    filled = sum(map(bool, first)) >= len(header) - 1
    # Under `Pace | Distance per ...`, a row without a key can only name the columns of the distance.
    keyless = bool(header[0]) and not first[0] and all(row[0] for row in grid[1:])
    names = "" in header[1:] and wordy and filled and (numbers_below or keyless)
    if names or _names_under_one_word(header, grid):
        return joined_headers(header, first), 1, None
    return header, 0, None


def _lines_without_a_key(header: tuple[str, ...], grid: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the first rows if they name the columns under header words that span several, the row of names last.

    Under `Soil | Rate | (blank) | (blank)` rows like `(blank) | SNS index`, `(blank) | 0 | 1 | 2` and `(blank) | kg/ha`
    have no key, so they are not data. One of them names all such columns, distinctly under the same words.
    """
    places = range(len(header))
    wide = [
        position
        for position in places
        if not header[position] or (position + 1 < len(header) and not header[position + 1])
    ]
    first = next((position for position in wide if header[position]), 0)
    named = [position for position in wide if position >= first]
    for count, row in enumerate(grid[:MAX_LINES], start=1):
        if not any(header[:first]) or any(row[:first]):
            return ()
        if all(row[position] for position in named):
            below = [
                (words, row[position]) for position, words in enumerate(_filled_forward(header)) if position in named
            ]
            spanning = tuple(takewhile(lambda line: _spans(line, first), grid[count:MAX_LINES]))
            lines = count + len(spanning)
            keyed = lines < len(grid) and any(grid[lines][:first])
            is_header = keyed and len(set(below)) == len(below)
            return (*grid[: count - 1], *spanning, row) if is_header else ()
    return ()


def _spans(row: Sequence[str], first: int) -> bool:
    """Whether a row has words in this column only, such as a unit for all columns."""
    return bool(row[first]) and not is_numeric(row[first]) and not any(row[:first]) and not any(row[first + 1 :])


def _names_under_one_word(header: tuple[str, ...], grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether the only words of a header, `Districts`, span several columns, which the first row names.

    Then none of its cells occurs again below it, although the cells below recur, as codes do, or are numbers.
    """
    names, below = grid[0][1:], [cell for row in grid[1:] for cell in row[1:] if cell]
    one = len(header) >= MIN_SPANNED and not header[0] and sum(map(bool, header)) == 1
    told = all(names) and len(set(names)) == len(names) and not any(map(is_numeric, names))
    recur = len(set(below)) <= len(below) / 2 or _is_another_kind([row[1:] for row in grid])
    return one and told and recur and set(names).isdisjoint(below)


def joined_headers(upper: tuple[str, ...], lower: tuple[str, ...]) -> tuple[str, ...]:
    """Return the joined lines of one header, of which the upper names groups of columns."""
    return _joined(_filled_forward(upper), lower)


def without_placeholders(header: tuple[str, ...]) -> tuple[str, ...]:
    """Return a header with placeholders like `Col2` in the second column blank, which PDF converters insert.

    A header that begins with `Col1` is not changed: it has no other words, or an author gave that name.
    """
    blank = tuple("" if cell == f"Col{position}" else cell for position, cell in enumerate(header, start=1))
    return blank if header[:1] != ("Col1",) else header


def part_heads(header: tuple[str, ...], grid: Sequence[tuple[str, ...]], underlined: Sequence[int]) -> frozenset[int]:
    """Return the rows that are headings, among those with a delimiter line below.

    Most such lines only separate rows. A heading is a full row of words, of which one repeats a column name or is above
    numbers. The first row continues the header.
    """
    if any(low + 1 == high for low, high in pairwise(underlined)):
        return frozenset()
    return frozenset(position for position in underlined if _heads(header, grid, position))


def _heads(header: tuple[str, ...], grid: Sequence[tuple[str, ...]], row: int) -> bool:
    cells, below = grid[row], grid[row + 1 :]
    if not below or any(_DIGIT.search(cell) for cell in cells) or not (all(cells) or (not row and any(cells))):
        return False
    return not row or not set(cells).isdisjoint(header) or _is_another_kind([cells, *below])


def _names_numbers(grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first row names a column of numbers, like `Item | Cost`, and so is not a pair like those below."""
    return len(grid) > MIN_NUMBERS and all(_DIGIT.search(row[1]) for row in grid[1:])


def _is_like_those_below(grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first row is data like the others: it has a sentence, or a cell that recurs in its column.

    Many authors leave the header of a table blank, because Markdown requires one.
    """
    first, below = grid[0], [row for row in grid[1:] if row != grid[0]]
    if _is_another_kind(grid):
        return False
    says = any(cell.endswith((".", "!", "。")) or len(cell.split()) > _MOST_WORDS_OF_NAME for cell in first)
    return says or any(cell == row[column] for row in below for column, cell in enumerate(first))


def _is_another_kind(grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether a cell of the first row is a word above numbers, or a number above words."""
    below = [[is_numeric(row[column]) for row in grid[1:6] if row[column]] for column in range(len(grid[0]))]
    return any(kinds and is_numeric(cell) not in kinds for cell, kinds in zip(grid[0], below, strict=True))


def _filled_forward(header: tuple[str, ...]) -> tuple[str, ...]:
    filled: list[str] = []
    for cell in header:
        filled.append(cell or (filled[-1] if filled else ""))
    return tuple(filled)


def _joined(upper: tuple[str, ...], lower: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(low if not up or up == low else f"{up} {low}".strip() for up, low in zip(upper, lower, strict=True))


def realigned(
    header: tuple[str, ...], grid: list[tuple[str, ...]], headings: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and body aligned if both have the same number of filled columns in different places."""
    named = [i for i, cell in enumerate(header) if cell]
    fill = Counter(i for row in grid[headings:] for i, cell in enumerate(row) if cell)
    used = [i for i in range(len(header)) if fill[i]]
    if named == used or len(named) != len(used) or len(named) < 2 or (0 in used and 0 not in named):
        # A blank corner above filled cells is the heading of a key, not a misplaced heading.
        return header, grid
    return tuple(header[i] for i in named), [tuple(row[i] for i in used) for row in grid]


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

    If that is a column of numbers to the right of one that distinguishes the rows of each group, it is the latter:
    `6 months` under `Redirection inland` and again under `Redirection abroad`, not a price. If it only numbers the
    lines of a scale, it is the scale: `Vessels 12,001 GT to 25,000 GT` to the right of `10.4`. If it gives the amounts
    of ingredients, it is the ingredients: `Flour` to the right of `500 g`.

    Args:
        rows: with the table's own columns.
    """
    data_rows = [row for row in rows if row.role == "data"]
    column = _telling_apart([row.cells for row in data_rows], [""] * len(data_rows))
    if data_rows and _are_item_numbers(data_rows, column) and _is_scale(data_rows, column + 1):
        return column + 1
    if data_rows and _are_amounts(data_rows, column) and _are_things(data_rows, column + 1):
        return column + 1
    groups = _groups(data_rows)
    if (
        not column
        or not any(groups)
        or not all(is_numeric(row.cells[column]) for row in data_rows if row.cells[column])
    ):
        return column
    return _telling_apart([row.cells[:column] for row in data_rows], groups) or column


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


def _telling_apart(data_cells: Sequence[tuple[str, ...]], groups: Sequence[str]) -> int:
    for column in range(len(data_cells[0]) if data_cells else 0):
        cells = [(group, row[column]) for group, row in zip(groups, data_cells, strict=True)]
        filled = [cell for cell in cells if cell[1].strip(" -–—")]
        # A row outside of the groups may lack the cell that distinguishes the rows of a group.
        blank = max(0.1 * len(cells), float(any(groups)))
        enough = len(cells) - len(filled) <= blank and len(set(filled)) >= 0.9 * len(filled)
        if enough and max(len(cell) for _, cell in filled) <= _LONGEST_KEY:
            return column
    return 0


def _groups(data_rows: Sequence[ReadRow]) -> list[str]:
    """Return the first cell at or above each row; empty in a table without blank first cells."""
    groups, group = [], ""
    for row in data_rows:
        group = row.cells[0] or group
        groups.append(group)
    return groups if any(not row.cells[0] for row in data_rows) else [""] * len(data_rows)
