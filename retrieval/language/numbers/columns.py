"""The quantities of a column: `3` is 3 g under `Weight (g)`; `up to 50 g` starts where `up to 20 g` ends."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import inf, isinf
from typing import NamedTuple

from retrieval.language.numbers.quantity import (
    AS_TEXT,
    FUNCTION_WORDS,
    LONGEST_BOUND,
    PHRASES,
    Bound,
    Quantity,
    beyond,
    measure,
    singular,
)
from retrieval.language.numbers.reading import quantities, whole_quantity

LONGEST_QUANTITY = 60
"""Most characters of a cell that may be one quantity; a longer one is a sentence."""
DEGREES = "celsius"
"""The base unit of temperatures, the only dimension whose units have different zeros."""
_SHORTEST_WORD = 4
"""Fewest letters of a unit at the beginning of a heading, because `Min` and `Day` have other meanings there."""
_MEASURED = {"age": "years"}
"""Units of columns whose names are not units."""
_PARTS = re.compile(r"[()\[\],]|\bin\b")
_ROMAN = re.compile(r"(?P<label>[^\W\d_]{3,})\s+(?P<number>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))")
_DIGITS = {"I": 1, "V": 5, "X": 10}
_READ_AT_ONCE = 1 << 16


@lru_cache(maxsize=_READ_AT_ONCE)
def figure_of_cell(cell: str, column: str, *, is_key: bool) -> Quantity | None:
    """Return the quantity that a cell is; for a key also a single range among its words (`Parcel over 5 to 20 kg`), or
    a Roman number after a word (`Class IV`).

    A number without a unit gets the column's unit: `20` is 20 g under `Weight (g)`. None for other cells, including
    dice, dates and times.
    """
    # The cells of near-twins repeat each other.
    if not 0 < len(cell) <= LONGEST_QUANTITY:
        return None
    figure = whole_quantity(cell)
    if figure is None and is_key:
        spread = [quantity for quantity in quantities(cell) if quantity.kind in ("range", "open")]
        figure = spread[0] if len(spread) == 1 else _counted_in_roman(cell)
    if figure is None or figure.kind in AS_TEXT:
        return None
    if figure.unit is None and (unit := column_unit(column)):
        counted = whole_quantity(f"{cell} {unit}")
        return counted if counted is not None and counted.written == figure.written else figure
    return figure


def _counted_in_roman(cell: str) -> Quantity | None:
    """Return the number of a key like `Class IV`, or None."""
    if not (read := _ROMAN.fullmatch(cell)):
        return None
    digits = [_DIGITS[letter] for letter in read["number"]]
    value = float(sum(-one if one < after else one for one, after in pairwise((*digits, 0))))
    return Quantity(value, value, None, "number", 0, len(cell), cell, (value, value), label=read["label"].lower())


@lru_cache(maxsize=1 << 12)
def column_unit(column: str) -> str | None:
    """Return the unit of a column name like `Weight (g)`, `Gap, mm (D4)`, `Weight g`, `Minutes late`, or None."""
    name, *parts = (part.strip() for part in _PARTS.split(column))
    if unit_part := next((part for part in parts if part and measure(part.partition("/")[0])), None):
        return unit_part
    words = name.split()
    terms = [word for word in words[:1] if len(word) >= _SHORTEST_WORD]
    terms += [word for word in words[1:][-1:] if len(word) > 1 and word not in FUNCTION_WORDS]
    unit = next((word for word in terms if measure(word.partition("/")[0])), None)
    return unit or (_MEASURED.get(words[0].lower()) if words else None)


@lru_cache(maxsize=1 << 12)
def column_noun(column: str) -> str | None:
    """Return the counted noun of a column, singular: `pace` for `Height (paces)`, `point` for `Points`; or None."""
    nouns = (part.strip().lower() for part in _PARTS.split(column)[::-1])
    return next((singular(noun) for noun in nouns if noun.isalpha() and singular(noun) != noun), None)


def closed_ladder(keys: Sequence[Quantity | None]) -> Sequence[Quantity | None]:
    """Return keys whose open ends stop at the next key: 10 g is in `up to 20 g`, not in `up to 50 g` below it.

    Args:
        keys: of the rows of one table, in their order; None for keys that are not numbers.
    """
    closed = list(keys)
    for upwards in (False, True):
        last: dict[str | None, float] = {}
        for number in range(len(closed))[:: -1 if upwards else 1]:
            key = closed[number]
            if key is not None:
                closed[number] = key = _closed(key, last.get(key.unit), upwards=upwards)
                last[key.unit] = key.low if upwards else key.high
    return closed


def _closed(key: Quantity, bound: float | None, *, upwards: bool) -> Quantity:
    """Return an open interval closed at the bound of the next; unchanged if that is not a further step."""
    if bound is None or isinf(bound) or isinf(key.low) == isinf(key.high) or isinf(key.high) != upwards:
        return key
    if upwards:
        low, high = key.low, -beyond(-bound)
    else:
        low, high = beyond(bound), key.high
    # The known end gives the factor between the text's unit and the base unit; degrees have another zero.
    there, written = (low, key.written[0]) if upwards else (high, key.written[1])
    if low > high or not there or (key.unit == DEGREES and written != there):
        return key
    return replace(key, low=low, high=high, written=(low * written / there, high * written / there))


_ENDS: dict[tuple[str, ...], Bound] = {
    **PHRASES,
    **{(word,): (True, False) for word in ("from", "min", "lower", "least")},
    **{(word,): (False, False) for word in ("to", "max", "upper", "most", "through", "until")},
}
_WORDS = re.compile(r"[^\W\d_]+|[<>≤≥⩽⩾=]")


class _End(NamedTuple):
    upwards: bool
    left_out: bool
    of: tuple[str, ...]
    """The other words of the heading."""


def joined(columns: Sequence[str], figures: Sequence[Quantity | None]) -> list[Quantity | None]:
    """Return the quantities of a row, with the ends of one interval in two columns joined in the first.

    Args:
        columns: the headings of the row's cells; there may be fewer.
        figures: the quantity of each cell.
    """
    whole_figures = list(figures)
    for column in interval_columns(tuple(columns[: len(whole_figures)])):
        low, high = whole_figures[column : column + 2]
        if (whole := _interval(low, high, left_out=_is_left_out(columns[column]))) is not None:
            whole_figures[column : column + 2] = whole, None
    return whole_figures


@lru_cache(maxsize=1 << 12)
def interval_columns(columns: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of columns with the lower end of an interval whose upper end is in the next column."""
    ends = [_end(column) for column in columns]
    return tuple(
        position
        for position, (low, high) in enumerate(pairwise(ends))
        if low and high and low.upwards and not high.upwards and low.of == high.of
    )


@lru_cache(maxsize=1 << 12)
def _end(column: str) -> _End | None:
    words = tuple(_WORDS.findall(column.lower()))
    for length in range(LONGEST_BOUND, 0, -1):
        for start in range(len(words) - length + 1):
            if bound := _ENDS.get(words[start : start + length]):
                return _End(*bound, words[:start] + words[start + length :])
    return None


def _is_left_out(column: str) -> bool:
    end = _end(column)
    return end is not None and end.left_out


def _interval(low: Quantity | None, high: Quantity | None, *, left_out: bool) -> Quantity | None:
    """Return the interval from one cell to the other; None if they are not the ends of an interval."""
    if low is None or high is None:
        return None
    ends, written = (low.low, high.high), (low.written[0], high.written[1])
    if low.unit != high.unit or ends[0] > ends[1] or -inf in ends or inf in ends:
        return None
    if left_out:
        ends, written = (beyond(ends[0]), ends[1]), (beyond(written[0]), written[1])
    return replace(low, low=ends[0], high=ends[1], written=written, kind="range", text=f"{low.text} {high.text}")
