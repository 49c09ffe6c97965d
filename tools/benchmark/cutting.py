"""A book as rows and paragraphs: for the systems whose libraries do not cut markdown themselves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_TITLE_WORDS = 20
"""A line of at most so many words directly above a table is its caption."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A table row with what stands above it, or a paragraph."""

    headings: tuple[str, ...]
    text: str
    """The source line of the row, or the paragraph."""
    caption: str = ""
    header: str = ""
    """Source line of the column names."""

    @property
    def shown(self) -> str:
        """What a reader is shown: the nearest heading, the caption, the column names, and the row or paragraph."""
        return "\n".join(filter(None, (*self.headings[-1:], self.caption, self.header, self.text)))


def units_of(text: str) -> Iterator[Unit]:
    """Every table row and paragraph of a markdown text."""
    headings: dict[int, str] = {}
    above = ""
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n") if line.strip()]
        while lines and (match := _HEADING.match(lines[0])):
            level = len(match[1])
            headings = {deep: title for deep, title in headings.items() if deep < level} | {level: match[2]}
            lines, above = lines[1:], ""
        if not lines:
            continue
        path = tuple(headings.values())
        first_row = next((number for number, line in enumerate(lines) if _is_row(line)), None)
        if first_row is None:
            above = " ".join(lines)
            yield Unit(path, "\n".join(lines))
            continue
        above = " ".join(lines[:first_row]) or above
        caption = above if len(above.split()) <= _TITLE_WORDS else ""
        yield from _rows(path, caption, lines[first_row:])


def _rows(headings: tuple[str, ...], caption: str, lines: list[str]) -> Iterator[Unit]:
    rows = [line for line in lines if _is_row(line) and set(line) - set("|-: ")]
    for row in rows[1:]:
        yield Unit(headings, row, caption, rows[0])
    for line in lines:
        if not _is_row(line) and not line.lstrip().startswith("<"):
            yield Unit(headings, line, caption)


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|") or "<tr" in line
