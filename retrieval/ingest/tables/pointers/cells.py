"""What a cell that says little else points to: `See "Station Intervals"`, `see Table 7`, `MAV_TYPE`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.ingest.references import references, shortened

MOST_OTHER_WORDS = 2
"""Words of a cell beside its pointer; one with more says something of its own."""
LONGEST = 120
"""Characters of such a cell."""

_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_QUOTED_CELL = re.compile(r"\s*[\"“‘](?P<words>[^\"”’“‘]{2,60})[\"”’]\s*")
_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Za-z0-9]*(?<=[a-z0-9])[A-Z][A-Za-z0-9]*")
"""`MAV_TYPE`, `StationType`."""
_KINDS = frozenset(("table", "tables", "enum", "enumeration", "chart", "section", "below", "above"))
_BESIDE = frozenset(
    (
        *("see", "also", "refer", "refers", "to", "cf", "the", "its", "and", "of", "in", "at", "for", "as", "per"),
        *("with", "from", "under", "details", "values", "described", "detailed", "explained", "given", "listed"),
    )
)
_SINGULAR = ("as", "is", "ss", "us")
"""Ends of words that are no plurals: `gas`, `status`."""
_NUMBER = re.compile(r"(?:table|tables)\s+(?P<number>(?=\w*\d|[ivxlc]+\b|\w\b)[\w]+(?:[.-]\w+)*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a cell points to."""

    names: tuple[str, ...]
    """At least one. How the table may be called, as `called` writes it; the likeliest first."""
    is_code: bool
    """Whether the cell is an identifier and says nowhere that it points."""


def pointer_in(cell: str) -> Pointer | None:
    """The one thing that a cell points to; None if it points to nothing, to several, or says more than that."""
    cell = cell.strip()
    if len(cell) > LONGEST or not _LETTERS.search(cell):
        return None
    if _CODE.fullmatch(cell):
        return Pointer((called(cell),), is_code=True)
    if whole := _QUOTED_CELL.fullmatch(cell):
        names = tuple(_spellings(whole["words"]))
        return Pointer(names, is_code=False) if names else None
    found = list(references(cell))
    if len(found) != 1 or _counted(cell, found[0]) or len(_others(cell, found[0])) > MOST_OTHER_WORDS:
        return None
    names = tuple(_spellings(found[0]))
    return Pointer(names, is_code=False) if names else None


def called(title: str) -> str:
    """A title for comparing: its words in small letters, the last one without the `s` of a plural."""
    words = _WORD.findall(title.casefold())
    if words and not words[-1].endswith(_SINGULAR):
        words[-1] = words[-1].removesuffix("s")
    return " ".join(words)


def numbered(title: str) -> tuple[str, str] | None:
    """`Table 13: Stairs` as `table 13` and the rest, `Stairs`; None for a title without a number."""
    match = _NUMBER.match(title.strip())
    return (f"table {match['number'].casefold()}", title.strip()[match.end() :].lstrip(" :.–—-")) if match else None


def _spellings(name: str) -> Iterator[str]:
    """A reference as it is written, and without the words at its ends that only lead to it."""
    if number := numbered(name):
        yield number[0]
        return
    words = _WORD.findall(name)
    while words and words[0].casefold() in _KINDS | _BESIDE:
        words = words[1:]
    for shorter in shortened(words):
        kept = shorter.split(" ")
        dropped = words[len(kept) :]
        if _LETTERS.search(shorter) and all(word.casefold() in _KINDS | _BESIDE for word in dropped):
            yield called(shorter)


def _counted(cell: str, name: str) -> bool:
    """Whether a number follows the name: `Message Type 4` is one of many, and not the table of message types."""
    return re.search(re.escape(name) + r"\s*[#(]?\d", cell) is not None


def _others(cell: str, name: str) -> Sequence[str]:
    """The words of a cell that neither belong to its pointer nor lead to it."""
    own = {*_WORD.findall(name.casefold()), *_KINDS, *_BESIDE}
    return [word for word in _WORD.findall(cell.casefold()) if _LETTERS.search(word) and word not in own]
