"""The quantities of a text: numbers joined to ranges, opened by `or more` and `under`, and numbered by a label."""

import re
from collections.abc import Sequence
from functools import lru_cache

from retrieval.quantities.intervals import Interval, interval
from retrieval.quantities.labels import follows_name, label_before
from retrieval.quantities.pieces import Piece, pieces
from retrieval.quantities.quantity import Quantity
from retrieval.quantities.words import NUMBER_WORDS

_FIGURE = re.compile(r"[0-9½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]")
_WORD = re.compile(r"[a-z]+")
_AT_ONCE = 64
"""Questions that may be asked at a time and be read once each: predicates and ranking read the same."""
_JOINERS = frozenset({",", "and", "or", "&", "/", ", and", ", or"})


@lru_cache(maxsize=_AT_ONCE)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every quantity of a text, left to right, not overlapping. Figures inside an identifier are none."""
    if not _FIGURE.search(text) and NUMBER_WORDS.isdisjoint(_WORD.findall(text.lower())):
        return ()
    found = pieces(text)
    read: list[Interval] = []
    at = 0
    while at < len(found):
        span = interval(found, at)
        if span is None:
            at += 1
            continue
        label = label_before(found, span.at)
        if label is None and span.unit is None and read and _joins(text, found, read[-1], span):
            label = read[-1].label
        read.append(span.labelled(label))
        at = read[-1].next
    return tuple(_quantity(text, found, span) for span in _with_shared_units(text, found, read))


def _joins(text: str, found: Sequence[Piece], first: Interval, second: Interval) -> bool:
    """Whether two numbers stand in one list, as in `levels 3, 4 and 5`."""
    return text[found[first.next - 1].end : found[second.at].start].strip().lower() in _JOINERS


def _with_shared_units(text: str, found: Sequence[Piece], read: list[Interval]) -> Sequence[Interval]:
    """`3 or 4 hours`: the unit at the end of a list counts for all of it."""
    for place in range(len(read) - 2, -1, -1):
        first, second = read[place], read[place + 1]
        if second.unit and first.shares_unit and _joins(text, found, first, second):
            read[place] = first._replace(unit=second.unit)
    return read


def _quantity(text: str, found: Sequence[Piece], span: Interval) -> Quantity:
    start, end = found[span.at].start, found[span.next - 1].end
    low, high = span.in_base_units()
    return Quantity(
        low=low,
        high=high,
        unit=span.unit.name if span.unit else None,
        kind=span.kind,
        start=start,
        end=end,
        text=text[start:end],
        written=(span.low, span.high),
        label=span.label,
        follows_name=span.kind != "ordinal" and follows_name(found, span.at),
    )
