"""Two columns that are the ends of one interval: `Over, mm | Up to, mm`, `From km | To km`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import NamedTuple

from retrieval.quantities.bounds import LONGEST_BOUND, PHRASES, Bound
from retrieval.quantities.quantity import Quantity, beyond

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
    found = list(figures)
    for place in interval_columns(tuple(columns[: len(found)])):
        low, high = found[place : place + 2]
        if (whole := _interval(low, high, left_out=_is_left_out(columns[place]))) is not None:
            found[place : place + 2] = whole, None
    return found


@lru_cache(maxsize=1 << 12)
def interval_columns(columns: tuple[str, ...]) -> tuple[int, ...]:
    """The places of columns that begin an interval which the next column ends."""
    ends = [_end(column) for column in columns]
    return tuple(
        place
        for place, (low, high) in enumerate(pairwise(ends))
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
