"""The quantities in a text, and texts that are a single quantity."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import inf

from retrieval.language.english import word_set
from retrieval.language.lexer import AT_ONCE, VULGAR, Lexeme
from retrieval.language.numbers.intervals import Interval, follows_name, interval, label_before
from retrieval.language.numbers.numerals import pieces_of
from retrieval.language.numbers.quantity import NUMBER_WORDS, NUMBERING, Quantity

_FIGURE = re.compile(f"[0-9{''.join(VULGAR)}]")
_WORD = re.compile(r"[a-z]+")
_JOINERS = frozenset({",", "and", "or", "&", "/", ", and", ", or"})
_AGES = word_set("ages")
"""Words after a year or a month that make it an age."""


@lru_cache(maxsize=AT_ONCE)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity in a text, left to right, without overlap. Digits in an identifier are not quantities."""
    if not _FIGURE.search(text) and NUMBER_WORDS.isdisjoint(_WORD.findall(text.lower())):
        return ()
    pieces = pieces_of(text)
    read: list[Interval] = []
    at = 0
    while at < len(pieces):
        span = interval(pieces, at)
        if span is None:
            at += 1
            continue
        label = label_before(pieces, span.at)
        if label is None and span.unit is None and read and _joins(text, pieces, read[-1], span):
            label = read[-1].label
        is_age = any(piece.lower in _AGES for piece in pieces[span.next : span.next + 1])
        read.append(span if is_age and span.unit else span.labelled(label))
        at = read[-1].next
    return tuple(_quantity(text, pieces, span) for span in _with_shared_units(text, pieces, read))


def _joins(text: str, pieces: Sequence[Lexeme], first: Interval, second: Interval) -> bool:
    """Whether two numbers are in one list, as in `levels 3, 4 and 5`."""
    return text[pieces[first.next - 1].end : pieces[second.at].start].strip().lower() in _JOINERS


def _with_shared_units(text: str, pieces: Sequence[Lexeme], read: list[Interval]) -> Sequence[Interval]:
    """Return the intervals with the unit at the end of a list applied to all of it: `3 or 4 hours`."""
    for number in range(len(read) - 2, -1, -1):
        first, second = read[number], read[number + 1]
        if second.unit and first.shares_unit and _joins(text, pieces, first, second):
            read[number] = first._replace(unit=second.unit)
    return read


def _quantity(text: str, pieces: Sequence[Lexeme], span: Interval) -> Quantity:
    start, end = pieces[span.at].start, pieces[span.next - 1].end
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
        follows_name=span.kind != "ordinal" and follows_name(pieces, span.at),
    )


LONGEST_CELL = 80
"""Most characters of a cell that is a quantity."""

_GLOSS = re.compile(r"\s*\([^()]*\)\s*$")
_BEFORE = re.compile(
    r"[\s*_`~≈(#]*(?:(?:nos?|nr|about|approximately|approx|around|circa|ca|c|roughly|nearly)\.?\s*)?", re.IGNORECASE
)
_MARKS = r"[\s*_`.†‡§⁰¹²³⁴-⁹)]*"
_SMALL = r"[^\W\d_A-Z]+"
_AFTER = re.compile(
    rf"{_MARKS}|:\s*[^\W\d_]+(?:[ -][^\W\d_]+){{0,2}}{_MARKS}|[ /-]?{_SMALL}(?:[ -]{_SMALL}){{0,2}}{_MARKS}"
)
_NAME_AFTER = re.compile(rf"\s[^\W\d_]+{_MARKS}")
_LABEL = re.compile(r"[*_]*(?:[A-Z]{1,4}|[^\W\d_]+)\s*[:#.]?\s*")
_AND_DOWN = re.compile(r"\s*[-−–+]?(?P<figures>[0-9][0-9,.]*)(?P<dash>-)(?:\s+[^\W\d_]+)?\s*")
_GROUPED = re.compile(
    r"(?P<before>^[^\w.,]*|[-−–—<>≤≥]\s?|\b(?:to|and|over|under|above|below|than|from) )"
    r"(?P<figure>[1-9][0-9]{0,2}(?: [0-9]{3})+)(?![.,]?\w| [0-9])"
)
_YEAR = 4
"""Digits of a year: `1994-` does not mean 1994 or less."""
_LIST = re.compile(r"\s*(?:,|/|&|\bor\b|\band\b|,\s*(?:or|and)\b)\s*")


def whole_quantity(cell: str) -> Quantity | None:
    """Return the quantity of a cell like `9–10`, `11 (B)`, `3 (Count)`, `TL 10`, `10 round burst`, `7 or 8`; else None.

    Only in cells, `2-` is 2 or less, a list of whole numbers without a gap is a range, and `2 500 kg` is one number.
    """
    if not cell or len(cell) > LONGEST_CELL:
        return None
    text = cell
    while match := _GLOSS.search(text):
        text = text[: match.start()]
    text = text or cell
    if match := _AND_DOWN.fullmatch(text):
        return _and_down(text, match) if len(match["figures"]) < _YEAR else None
    joined = _GROUPED.sub(lambda match: match["before"] + match["figure"].replace(" ", "\u00a0"), text)
    read = tuple(replace(quantity, text=text[quantity.start : quantity.end]) for quantity in quantities(joined))
    whole = read[0] if len(read) == 1 else _listed(text, read)
    if whole is None or not _is_gloss(text, whole):
        return None
    before = text[: whole.start]
    return whole if _BEFORE.fullmatch(before) or _is_label(before, whole) else None


def _and_down(text: str, match: re.Match[str]) -> Quantity | None:
    """Return the open interval of `2-` or `2- tons`: the number or less."""
    read = quantities(f"{text[: match.start('dash')]} {text[match.end('dash') :]}")
    if len(read) != 1:
        return None
    bound = read[0]
    end = max(bound.end, match.end("dash"))
    written = (-inf, bound.written[1])
    return replace(bound, low=-inf, kind="open", written=written, end=end, text=text[bound.start : end])


def _is_gloss(text: str, quantity: Quantity) -> bool:
    """Whether only a few words follow the quantity. Capitalised words make it a title: `28 Days Later`."""
    after = _AFTER.fullmatch(text, quantity.end) or (
        quantity.unit is None and _NAME_AFTER.fullmatch(text, quantity.end)
    )
    return bool(after)


def _is_label(before: str, quantity: Quantity) -> bool:
    """Whether only a word that numbers things, or an abbreviation, precedes the quantity."""
    match = _LABEL.fullmatch(before)
    return bool(match and quantity.label and (quantity.label in NUMBERING or before.strip(" *_:#.").isupper()))


def _listed(text: str, read: tuple[Quantity, ...]) -> Quantity | None:
    """Return the range of consecutive numbers like `7, 8 and 9`, or None."""
    if not read or any(quantity.kind not in ("number", "ordinal") for quantity in read):
        return None
    values = [quantity.written[0] for quantity in read]
    if any(not _LIST.fullmatch(text, a.end, b.start) for a, b in pairwise(read)):
        return None
    if any(b - a != 1 for a, b in pairwise(values)) or not values[0].is_integer():
        return None
    first, last = read[0], read[-1]
    return replace(
        first,
        kind="range",
        high=last.high,
        end=last.end,
        text=text[first.start : last.end],
        written=(first.written[0], last.written[1]),
    )
