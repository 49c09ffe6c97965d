"""Tables whose columns are lined up with spaces under a line of dashes: the cells that lie in each column."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise

from retrieval.ingest.markdown.spaced import BORDER, COLUMNS
from retrieval.ingest.tables.source.drawn_tables import DrawnRow, DrawnTable

_GAP = re.compile(r" {2,}")
_WIDE = frozenset("WF")


def is_spaced(source: str) -> bool:
    """Whether a line of dashes says where the columns of a table begin."""
    return any(map(COLUMNS.fullmatch, source.split("\n")))


def parse_spaced(source: str) -> DrawnTable:
    """The cells of such a table. A row is a line, or, where blank lines part the rows, all lines up to the next."""
    lines = [line.expandtabs() for line in source.rstrip().split("\n")]
    ruled = next(number for number, line in enumerate(lines) if COLUMNS.fullmatch(line))
    begins = [match.start() for match in re.finditer("-+", lines[ruled])]
    top = 1 if BORDER.fullmatch(lines[0]) else 0
    end = len(lines) - bool(BORDER.fullmatch(lines[-1]) or COLUMNS.fullmatch(lines[-1]))
    header = (_row(lines, begins, top, ruled),) if ruled > top else ()
    return DrawnTable("", header, tuple(_spaced_rows(lines, begins, ruled + 1, end)))


def _spaced_rows(lines: Sequence[str], begins: Sequence[int], start: int, end: int) -> Iterator[DrawnRow]:
    parted = any(not line.strip() for line in lines[start:end])
    for blank, numbers in groupby(range(start, end), key=lambda number: not lines[number].strip()):
        run = list(numbers)
        if blank:
            continue
        if parted:
            yield _row(lines, begins, run[0], run[-1] + 1)
        else:
            yield from (_row(lines, begins, number, number + 1) for number in run)


def _row(lines: Sequence[str], begins: Sequence[int], start: int, end: int) -> DrawnRow:
    cut = [_spaced_cells(line, begins) for line in lines[start:end]]
    return DrawnRow(tuple(" ".join(filter(None, parts)) for parts in zip(*cut, strict=True)), start, end)


def _spaced_cells(line: str, begins: Sequence[int]) -> tuple[str, ...]:
    """The words of each column. A line that does not keep to the columns is cut where two spaces are, if that fits."""
    for width in (_columns, len):
        places = _places(line, begins[1:], width)
        if not any(_is_amid(line, place) for place in places):
            return _cut(line, places)
    apart = _GAP.split(line.strip())
    if len(apart) == len(begins):
        return tuple(apart)
    return _cut(line, [_before_word(line, place) for place in places])


def _cut(line: str, places: Sequence[int]) -> tuple[str, ...]:
    return tuple(line[left:right].strip() for left, right in pairwise((0, *places, len(line))))


def _places(line: str, columns: Sequence[int], width: Callable[[str], int]) -> list[int]:
    """The indexes of the first signs that stand at each column or behind it, in one walk over the line."""
    ends = list(accumulate(map(width, line), initial=0))
    return [min(bisect_left(ends, column), len(line)) for column in columns]


def _columns(sign: str) -> int:
    """How many columns a sign takes up: an emoji or a Chinese one two, an accent that stands on another none."""
    return 0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in _WIDE)


def _is_amid(line: str, place: int) -> bool:
    return bool(line[place - 1 : place].strip() and line[place : place + 1].strip())


def _before_word(line: str, place: int) -> int:
    while _is_amid(line, place):
        place -= 1
    return place
