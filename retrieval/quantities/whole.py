"""Cells that are a quantity and nothing else but a unit or a gloss."""

import re
from dataclasses import replace
from itertools import pairwise
from math import inf

from retrieval.quantities.quantity import Quantity
from retrieval.quantities.reading import quantities
from retrieval.quantities.words import NUMBERING

LONGEST_CELL = 80
"""In characters; a longer cell says more than a quantity."""

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
_GROUPED = re.compile(r"\s*[1-9][0-9]{0,2}(?: [0-9]{3})+\s*")
_YEAR = 4
"""Digits: `1994-` is no year or less."""
_LIST = re.compile(r"\s*(?:,|/|&|\bor\b|\band\b|,\s*(?:or|and)\b)\s*")


def whole_quantity(cell: str) -> Quantity | None:
    """`9–10`, `11 (B)`, `3 (Count)`, `TL 10`, `10 round burst`, `7 or 8`; None if the cell says anything else.

    Here alone `2-` is 2 or less, and a list of whole numbers without a gap is a range.
    """
    if not cell or len(cell) > LONGEST_CELL:
        return None
    text = cell
    while match := _GLOSS.search(text):
        text = text[: match.start()]
    text = text or cell
    if match := _AND_DOWN.fullmatch(text):
        return _and_down(text, match) if len(match["figures"]) < _YEAR else None
    if _GROUPED.fullmatch(text):
        (grouped,) = quantities(text.replace(" ", "\u00a0"))
        return replace(grouped, text=text.strip())
    read = quantities(text)
    found = read[0] if len(read) == 1 else _listed(text, read)
    if found is None or not _is_gloss(text, found):
        return None
    before = text[: found.start]
    return found if _BEFORE.fullmatch(before) or _is_label(before, found) else None


def _and_down(text: str, match: re.Match[str]) -> Quantity | None:
    """`2-`, `2- tons`: the number and what is below it."""
    read = quantities(f"{text[: match.start('dash')]} {text[match.end('dash') :]}")
    if len(read) != 1:
        return None
    bound = read[0]
    end = max(bound.end, match.end("dash"))
    written = (-inf, bound.written[1])
    return replace(bound, low=-inf, kind="open", written=written, end=end, text=text[bound.start : end])


def _is_gloss(text: str, found: Quantity) -> bool:
    """Whether a few words at most explain the quantity. Words in capitals make a title of it: `28 Days Later`."""
    after = _AFTER.fullmatch(text, found.end) or (found.unit is None and _NAME_AFTER.fullmatch(text, found.end))
    return bool(after)


def _is_label(before: str, found: Quantity) -> bool:
    """Whether one word that numbers things, or an abbreviation, is all that stands before the quantity."""
    match = _LABEL.fullmatch(before)
    return bool(match and found.label and (found.label in NUMBERING or before.strip(" *_:#.").isupper()))


def _listed(text: str, read: tuple[Quantity, ...]) -> Quantity | None:
    """`7, 8 and 9` as the range that it fills."""
    if not read or any(one.kind not in ("number", "ordinal") for one in read):
        return None
    values = [one.written[0] for one in read]
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
