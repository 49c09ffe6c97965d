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
_BEFORE = re.compile(r"[\s*_`~≈(]*(?:(?:about|approximately|approx|around|circa|ca|c|roughly|nearly)\.?\s*)?")
_AFTER = re.compile(
    r"[\s*_`.†‡§⁰¹²³⁴-⁹)]*|:?\s*[^\W\d_]+(?:[ -][^\W\d_]+){0,2}[\s*†‡§.]*|-[^\W\d_]+(?:[ -][^\W\d_]+){0,2}"
)
_LABEL = re.compile(r"[*_]*(?:[A-Z]{1,4}|[^\W\d_]+)\s*[:#.]?\s*")
_AND_DOWN = re.compile(r"\s*(?P<number>[-−–+]?[0-9][0-9,.]*)-(?P<unit>\s+[^\W\d_]+)?\s*")
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
    if match := _AND_DOWN.fullmatch(text):
        read = quantities(match["number"] + (match["unit"] or ""))
        if len(read) != 1:
            return None
        end = len(text.rstrip())
        return replace(
            read[0], low=-inf, kind="open", written=(-inf, read[0].written[1]), end=end, text=text[read[0].start : end]
        )
    read = quantities(text)
    found = read[0] if len(read) == 1 else _listed(text, read)
    if found is None or not _AFTER.fullmatch(text, found.end):
        return None
    before = text[: found.start]
    return found if _BEFORE.fullmatch(before) or _is_label(before, found) else None


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
