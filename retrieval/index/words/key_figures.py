"""The numbers that the keys of a table stand for: `over 3 to 4 kg`, and `up to 50 g` only above `up to 20 g`."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import isinf

from retrieval.quantities import AS_TEXT, Quantity
from retrieval.quantities.measures import measure
from retrieval.quantities.quantity import beyond
from retrieval.quantities.words import FUNCTION_WORDS
from retrieval.types import Chunk

LONGEST = 60
"""Characters of a cell that may be one quantity; a longer one is a sentence."""
DEGREES = "celsius"
"""The base unit of temperatures, the one dimension whose units begin at another zero."""
_SHORTEST_WORD = 4
"""Letters of a unit that a heading begins with: `Min` and `Day` are others."""
_UNIT = re.compile(r"(?:[(\[]|,|\bin)\s*(?P<unit>[^\s()\[\],]+)\s*[)\]]?\s*$")

Whole = Callable[[str], Quantity | None]
"""Reads a cell that is one quantity."""
Within = Callable[[str], Iterable[Quantity]]
"""Reads the quantities of a text."""


def key_cell(chunk: Chunk) -> int:
    """The cell that picks a row, by its place; -1 if there is none."""
    return chunk.cells.index(chunk.row_key) if chunk.row_key in chunk.cells else -1


def figure_of_cell(cell: str, column: str, whole: Whole, within: Within, *, is_key: bool) -> Quantity | None:
    """The quantity that a cell is; of a key also the one step among its words, as of `Parcel over 5 to 20 kg`.

    A number without a unit counts what its column says: `20` is 20 g under `Weight (g)`.
    """
    if not 0 < len(cell) <= LONGEST:
        return None
    found = whole(cell)
    if found is None and is_key:
        spread = [each for each in within(cell) if each.kind in ("range", "open")]
        return spread[0] if len(spread) == 1 else None
    if found is not None and found.unit is None and found.kind not in AS_TEXT and (unit := column_unit(column)):
        counted = whole(f"{cell} {unit}")
        return counted if counted is not None and counted.written == found.written else found
    return found


@lru_cache(maxsize=1 << 12)
def column_unit(column: str) -> str | None:
    """The unit of a column of numbers: that of `Weight (g)`, `Weight in g`, `Weight, g`, `Weight g`, `Minutes late`."""
    if found := _UNIT.search(column):
        return found["unit"] if measure(found["unit"].partition("/")[0]) else None
    words = column.split()
    said = [word for word in words[:1] if len(word) >= _SHORTEST_WORD]
    said += [word for word in words[1:][-1:] if len(word) > 1 and word not in FUNCTION_WORDS]
    return next((word for word in said if measure(word)), None)


def closed_ladder(keys: Sequence[Quantity | None]) -> Sequence[Quantity | None]:
    """Let keys that are open at one end stop at the next: 10 g is in `up to 20 g`, and not in `up to 50 g` below it.

    Args:
        keys: of the rows of one table, in their order; None where a key is no number.
    """
    found = list(keys)
    for upwards in (False, True):
        last: dict[str | None, float] = {}
        for place in range(len(found))[:: -1 if upwards else 1]:
            key = found[place]
            if key is not None:
                found[place] = key = _closed(key, last.get(key.unit), upwards=upwards)
                last[key.unit] = key.low if upwards else key.high
    return found


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
