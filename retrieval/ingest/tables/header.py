"""Where the heading of a table ends: rows that belong to it, and headings beside their columns."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

from retrieval.ingest.tables.symbols import goes_on
from retrieval.ingest.tables.values import is_numeric, parse_range

_DIGIT = re.compile(r"\d")
MIN_SPANNED = 4
"""Columns from which on one text over all but the first is a heading over headings."""
MAX_LINES = 3
"""Rows below the header that may go on with it."""
MIN_NUMBERS = 4
"""Rows of numbers that make a heading of the words above them, where there is no other."""


def stacked_header(header: tuple[str, ...], grid: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], int, str | None]:
    """The effective header, how many of the first rows belong to it, and a title that spans the table."""
    if len(grid) < 2 or len(header) < 2 or (not any(header) and len(header) == 2 and not _names_numbers(grid)):
        return header, 0, None
    first = grid[0]
    wordy = sum(map(bool, first)) >= 2 and not any(_DIGIT.search(cell) or cell.endswith(":") for cell in first)
    listed = any(goes_on(cell, [row[column] for row in grid[1:]]) for column, cell in enumerate(first))
    if not any(header[1:]) and wordy and all(first[1:]) and not listed:
        return first, 1, header[0] or None
    spanning = len(header) >= MIN_SPANNED and bool(header[1]) and len(set(header[1:])) == 1
    apart = first[0] == header[0] or _is_another_kind(grid)
    if spanning and apart and len(set(first[1:])) > 1 and all(first[1:]) and not parse_range(first[0]):
        return _joined(header, first), 1, None
    if lines := _lines_without_a_key(header, grid):
        upper = [_filled_forward(row) for row in (header, *grid[: lines - 1])]
        return reduce(_joined, (*upper, grid[lines - 1])), lines, None
    numbers_below = any(is_numeric(cell) for row in grid[1:6] for cell in row[1:] if cell)
    filled = sum(map(bool, first)) >= len(header) - 1
    # Under `Pace | Distance per ...` a row without a key of its own can only name the columns of the distance.
    keyless = bool(header[0]) and not first[0] and all(row[0] for row in grid[1:])
    names = "" in header[1:] and wordy and filled and (numbers_below or keyless)
    if names or _names_under_one_word(header, grid):
        return joined_headers(header, first), 1, None
    return header, 0, None


def _lines_without_a_key(header: tuple[str, ...], grid: Sequence[tuple[str, ...]]) -> int:
    """How many first rows name the columns below the words of a header that stand over several; 0 for none.

    Under `Soil | Rate | (blank) | (blank)` rows like `(blank) | SNS index` and `(blank) | 0 | 1 | 2` have no key: they
    can be no data. The last of them names every column, and none twice below the same words.
    """
    places = range(len(header))
    wide = [place for place in places if not header[place] or (place + 1 < len(header) and not header[place + 1])]
    first = next((place for place in wide if header[place]), 0)
    named = [place for place in wide if place >= first]
    for count, row in enumerate(grid[:MAX_LINES], start=1):
        if not any(header[:first]) or any(row[place] for place in places if place not in named):
            return 0
        if all(row[place] for place in named):
            below = [(words, row[place]) for place, words in enumerate(_filled_forward(header)) if place in named]
            keyed = count < len(grid) and any(grid[count][:first])
            return count if keyed and len(set(below)) == len(below) else 0
    return 0


def _names_under_one_word(header: tuple[str, ...], grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether the only words of a header, `Districts`, stand over several columns, and the first row names these.

    No cell of it stands below itself then, though those below recur, as codes do, or are numbers.
    """
    names, below = grid[0][1:], [cell for row in grid[1:] for cell in row[1:] if cell]
    one = len(header) >= MIN_SPANNED and not header[0] and sum(map(bool, header)) == 1
    told = all(names) and len(set(names)) == len(names) and not any(map(is_numeric, names))
    recur = len(set(below)) <= len(below) / 2 or _is_another_kind([row[1:] for row in grid])
    return one and told and recur and set(names).isdisjoint(below)


def joined_headers(upper: tuple[str, ...], lower: tuple[str, ...]) -> tuple[str, ...]:
    """Two lines of one header, of which the upper names groups of columns."""
    return _joined(_filled_forward(upper), lower)


def without_placeholders(header: tuple[str, ...]) -> tuple[str, ...]:
    """A header in which `Col2` in the second column is blank: so converters of PDF fill what they found no words for.

    Not where they found none at all, or `Col1` is a name that an author gave beside other names.
    """
    blank = tuple("" if cell == f"Col{place}" else cell for place, cell in enumerate(header, start=1))
    return blank if header[:1] != ("Col1",) else header


def part_heads(header: tuple[str, ...], grid: Sequence[tuple[str, ...]], underlined: Sequence[int]) -> frozenset[int]:
    """Rows that head the rows below them, among those with a delimiter line below.

    Most such lines only part rows. A heading is a full row of words: one of them names a column of the table again, or
    they stand over numbers. The first row continues the header.
    """
    if any(low + 1 == high for low, high in pairwise(underlined)):
        return frozenset()
    return frozenset(place for place in underlined if _heads(header, grid, place))


def _heads(header: tuple[str, ...], grid: Sequence[tuple[str, ...]], place: int) -> bool:
    cells, below = grid[place], grid[place + 1 :]
    if not below or any(_DIGIT.search(cell) for cell in cells) or not (all(cells) or (not place and any(cells))):
        return False
    return not place or not set(cells).isdisjoint(header) or _is_another_kind([cells, *below])


def _names_numbers(grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first row names a column of numbers, as `Item | Cost` does; else it may be a pair as those below."""
    return len(grid) > MIN_NUMBERS and all(_DIGIT.search(row[1]) for row in grid[1:])


def _is_another_kind(grid: Sequence[tuple[str, ...]]) -> bool:
    """Whether a cell of the first row is a word over numbers, or a number over words."""
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
    """Header and body moved under each other where both have the same number of filled columns, in other places."""
    named = [i for i, cell in enumerate(header) if cell]
    fill = Counter(i for row in grid[headings:] for i, cell in enumerate(row) if cell)
    used = [i for i in range(len(header)) if fill[i]]
    if named == used or len(named) != len(used) or len(named) < 2 or (0 in used and 0 not in named):
        # A blank corner over filled cells is the heading of a key, not a heading in another place.
        return header, grid
    return tuple(header[i] for i in named), [tuple(row[i] for i in used) for row in grid]
