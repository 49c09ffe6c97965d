"""Warnings of many documents by their cause: what was wrong, said once, and where."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_OF_A_DOCUMENT = re.compile(r"(?P<document>.+?\.md): (?P<said>.+)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")
"""A place, such as that of a byte; the numbers of `UTF-8` and of a date are names."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong in one place or in many."""

    said: str
    """The warning without its document; `…` for a number that is not the same everywhere."""
    places: tuple[str, ...]
    """Books, or documents as `book/document`, in the order of the warnings; one with two such warnings comes twice."""


def by_cause(warnings: Iterable[tuple[str, str]]) -> tuple[Cause, ...]:
    """Warnings with their book's slug as causes, the most frequent first.

    Warnings that differ in numbers alone, such as the place of a byte, have one cause.
    """
    found: dict[str, tuple[list[str], set[str]]] = {}
    for slug, warning in warnings:
        match = _OF_A_DOCUMENT.fullmatch(warning)
        place, said = (f"{slug}/{match['document']}", match["said"]) if match else (slug, warning)
        places, spellings = found.setdefault(_NUMBER.sub("…", said), ([], set()))
        places.append(place)
        spellings.add(said)
    causes = (
        Cause(spellings.pop() if len(spellings) == 1 else said, tuple(places))
        for said, (places, spellings) in found.items()
    )
    return tuple(sorted(causes, key=lambda cause: (-len(cause.places), cause.said)))
