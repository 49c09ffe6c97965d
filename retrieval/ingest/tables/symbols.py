"""Cells and columns of signs, and what a cell is called that is one: `semicolon` for `';'`."""

import re
from collections.abc import Sequence

from retrieval.query_must.signs import lone_sign, names_of_sign

_LETTER = re.compile(r"[^\W\d_]|(?P<quote>['\"`])[^\W\d_](?P=quote)|[‘“][^\W\d_][’”]")
_FEWEST = 3
"""Different signs of a column that lists signs; fewer are marks: `✓`, `✗`, and `-` where there is nothing."""


def symbol_names(cell: str) -> tuple[str, ...]:
    """The names of the sign that a cell is, by itself or in quotes; none of any other cell."""
    sign = lone_sign(cell)
    return () if sign is None else names_of_sign(sign)


def lists_symbols(cells: Sequence[str]) -> bool:
    """Whether a column is a list of signs, which its rows are called by, and letters among them.

    Args:
        cells: of the column; blank ones do not count.
    """
    signs = {sign for cell in cells if (sign := lone_sign(cell))}
    return len(signs) >= _FEWEST and _are_single(cells)


def goes_on(cell: str, below: Sequence[str]) -> bool:
    """Whether a cell is a sign, and half of those below or more are signs or letters: it is one of them, no heading."""
    return lone_sign(cell) is not None and any(below) and _are_single(below)


def _are_single(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    single = sum(lone_sign(cell) is not None or _LETTER.fullmatch(cell) is not None for cell in filled)
    return 2 * single >= len(filled)
