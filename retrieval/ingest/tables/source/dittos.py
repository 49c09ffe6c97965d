"""Ditto marks: cells that say that they are as the cell above."""

import re
from collections.abc import Sequence

_DITTO = re.compile(r"[-–—\s]*(?:[\"”“″〃]|''|,,)[-–—\s]*|(?:do|dto|ditto|id|idem)\.|ditto|idem", re.IGNORECASE)
_MERGED = "^^"
"""`^^` in a cell makes one of it and the cell above, in MultiMarkdown and its kin."""
_WORD = re.compile(r"[^\W\d_]{2}")
"""Over a mark alone there must be words: among the characters of a keyboard `"` is itself."""


def without_dittos(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The rows of a table, each ditto mark replaced by the cell that it repeats.

    Args:
        rows: cells as they are read, from top to bottom, equally many.
    """
    found: list[tuple[str, ...]] = []
    for cells in rows:
        above = found[-1] if found else ("",) * len(cells)
        found.append(tuple(over if _repeats(cell, over) else cell for cell, over in zip(cells, above, strict=True)))
    return tuple(found)


def _repeats(cell: str, above: str) -> bool:
    if cell.strip() == _MERGED:
        return any(map(str.isalnum, above))
    return bool(_DITTO.fullmatch(cell.strip()) and _WORD.search(above))
