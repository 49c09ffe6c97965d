"""The quantities of a column: 3 g under `Weight (g)`; `up to 50 g` starts where `up to 20 g` ends."""

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
"""Characters of a cell that may be one quantity; a longer one is a sentence."""
DEGREES = "celsius"
"""The base unit of temperatures, the one dimension whose units begin at another zero."""
_SHORTEST_WORD = 4
"""Letters of a unit that a heading begins with: `Min` and `Day` are others."""
_MEASURED = {"age": "years"}
"""What a column counts whose name is no unit."""
_PARTS = re.compile(r"[()\[\],]|\bin\b")
_ROMAN = re.compile(r"(?P<label>[^\W\d_]{3,})\s+(?P<number>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))")
_DIGITS = {"I": 1, "V": 5, "X": 10}
_READ_AT_ONCE = 1 << 16


@lru_cache(maxsize=_READ_AT_ONCE)
def figure_of_cell(cell: str, column: str, *, is_key: bool) -> Quantity | None:
    """The quantity that a cell is; of a key also the one step among its words, as of `Parcel over 5 to 20 kg`, and a
    Roman number after a word, as of `Class IV`.

    A number without a unit counts what its column says: `20` is 20 g under `Weight (g)`. Dice, dates and times, which
    have no place on the line of numbers, are none.
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
    """`Class IV`: the fourth class."""
    if not (read := _ROMAN.fullmatch(cell)):
        return None
    digits = [_DIGITS[letter] for letter in read["number"]]
    value = float(sum(-one if one < after else one for one, after in pairwise((*digits, 0))))
    return Quantity(value, value, None, "number", 0, len(cell), cell, (value, value), label=read["label"].lower())


@lru_cache(maxsize=1 << 12)
def column_unit(column: str) -> str | None:
    """The unit of a column of numbers: that of `Weight (g)`, `Gap, mm (D4)`, `Weight g`, `Minutes late`."""
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
    """What a column counts that is no unit, singular: `pace` of `Height (paces)`, `point` of `Points`."""
    nouns = (part.strip().lower() for part in _PARTS.split(column)[::-1])
    return next((singular(noun) for noun in nouns if noun.isalpha() and singular(noun) != noun), None)


def closed_ladder(keys: Sequence[Quantity | None]) -> Sequence[Quantity | None]:
    """Let keys that are open at one end stop at the next: 10 g is in `up to 20 g`, and not in `up to 50 g` below it.

    Args:
        keys: of the rows of one table, in their order; None where a key is no number.
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
    """An open interval up to the bound of the next; as it is where that is no step further on."""
    if bound is None or isinf(bound) or isinf(key.low) == isinf(key.high) or isinf(key.high) != upwards:
        return key
    if upwards:
        low, high = key.low, -beyond(-bound)
    else:
        low, high = beyond(bound), key.high
    # The end that is there tells how many of the text's units a base unit is; degrees have another zero.
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
    """The figures of a row, the ends of one interval as that interval in place of the first.

    Args:
        columns: the headings of the row's cells; there may be fewer.
        figures: what each cell stands for.
    """
    whole_figures = list(figures)
    for column in interval_columns(tuple(columns[: len(whole_figures)])):
        low, high = whole_figures[column : column + 2]
        if (whole := _interval(low, high, left_out=_is_left_out(columns[column]))) is not None:
            whole_figures[column : column + 2] = whole, None
    return whole_figures


@lru_cache(maxsize=1 << 12)
def interval_columns(columns: tuple[str, ...]) -> tuple[int, ...]:
    """The places of columns that begin an interval which the next column ends."""
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
    """From the lowest of one cell to the highest of the other; None where they are no such ends."""
    if low is None or high is None:
        return None
    ends, written = (low.low, high.high), (low.written[0], high.written[1])
    if low.unit != high.unit or ends[0] > ends[1] or -inf in ends or inf in ends:
        return None
    if left_out:
        ends, written = (beyond(ends[0]), ends[1]), (beyond(written[0]), written[1])
    return replace(low, low=ends[0], high=ends[1], written=written, kind="range", text=f"{low.text} {high.text}")
