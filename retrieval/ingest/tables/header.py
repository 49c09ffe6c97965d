"""The header of a table: its lines, its placeholders, and columns that list signs."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise, takewhile

from retrieval.language.numbers.cells import is_numeric, parse_range
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
    # A wide heading in the corner is that of the rows' keys: `Soil type | (blank) | Rate | (blank)`.
    first = next((position for position in wide if position and header[position]), 0)
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
