"""A row as a small table for a terminal: its values under the heads of their columns, in as many bands as it takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

GAP = 2
"""Blanks between two columns."""
LONGEST = 30
"""Terminal columns of a value that stands in the table; what is longer gets lines of its own below it."""
_HEAD = 12
"""Terminal columns that a head may take without being broken at a blank."""
_MEASURE = Console(width=200, file=None, force_terminal=False)


@dataclass(frozen=True, slots=True)
class _Column:
    """A value and its head, broken into lines."""

    heads: Sequence[Text]
    value: str
    width: int


def row_table(pairs: Sequence[tuple[str, str]], width: int) -> Iterator[Text]:
    """The lines of a table of one row; no value is cut, and no line is wider than the terminal.

    Args:
        pairs: (head, value), the one that picks the row first; a head may be empty.
        width: of the terminal, in its columns.
    """
    most = min(LONGEST, width)
    short = [(head, value) for head, value in pairs if cell_len(value) <= most]
    band: list[_Column] = []
    for head, value in short:
        column = _column(head, value, most)
        if band and sum(each.width + GAP for each in band) + column.width > width:
            yield from _lines(band)
            band = []
        band.append(column)
    yield from _lines(band)
    for head, value in pairs:
        if cell_len(value) > most:
            yield from broken(Text.assemble((f"{head}: ", "dim"), value) if head else Text(value), width)


def broken(line: Text, width: int) -> list[Text]:
    """A text in lines that are no wider, broken at blanks where there are some."""
    parts = list(line.wrap(_MEASURE, max(width, 1)))
    for part in parts:
        part.rstrip()
    return parts


def _column(head: str, value: str, most: int) -> _Column:
    words = max((cell_len(word) for word in head.split()), default=0)
    width = min(max(cell_len(value), words, min(cell_len(head), _HEAD)), most)
    heads = broken(Text(head, style="dim"), width) if head else []
    return _Column(heads, value, max([cell_len(value), *(each.cell_len for each in heads)]))


def _lines(band: Sequence[_Column]) -> Iterator[Text]:
    """The heads stand on the line above their values, whatever their heights are."""
    if not band:
        return
    highest = max(len(each.heads) for each in band)
    upside = zip_longest(*(list(each.heads)[::-1] for each in band), fillvalue=Text())
    for line in list(upside)[:highest][::-1]:
        yield _joined(line, band)
    yield _joined([Text(each.value) for each in band], band)


def _joined(cells: Sequence[Text], band: Sequence[_Column]) -> Text:
    line = Text()
    for cell, column in zip(cells, band, strict=True):
        line.append_text(cell)
        line.append(" " * (column.width - cell.cell_len + GAP))
    line.rstrip()
    return line
