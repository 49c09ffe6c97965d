"""Tables that are drawn with `+---+` or written as a list of lists, as Pandoc and Sphinx know them."""

import re
from dataclasses import dataclass
from itertools import pairwise

_BORDER = re.compile(r"\s*\+[-=:+]+\+\s*")
_DIRECTIVE = re.compile(r"\s*[`~:]{3,}\s*\{list-table\}\s*(?P<title>.*)")
_HEADER_ROWS = re.compile(r"\s*:header-rows:\s*(?P<count>\d{1,3})\s*")
_ROW = re.compile(r"(?P<margin>\s*)\*\s+-(?P<words>\s.*|$)")
_CELL = re.compile(r"\s*-(?P<words>\s.*|$)")


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row's cells as written, with its lines in the source, the end exclusive."""

    cells: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A drawn table: rows of the header, then rows of the body."""

    title: str
    headers: tuple[DrawnRow, ...]
    rows: tuple[DrawnRow, ...]


def is_grid(source: str) -> bool:
    """Whether lines are drawn between two borders `+---+---+`."""
    lines = source.rstrip().split("\n")
    return len(lines) > 2 and bool(_BORDER.fullmatch(lines[0])) and bool(_BORDER.fullmatch(lines[-1]))


def is_list_table(source: str) -> bool:
    """Whether a block is the directive `{list-table}`."""
    return bool(_DIRECTIVE.match(source))


def parse_grid(source: str) -> DrawnTable:
    """A grid; its header ends at a border of `=`, without one there is none. A cell over several columns fills one."""
    lines = source.rstrip().split("\n")
    corners = [place for place, sign in enumerate(lines[0]) if sign == "+"]
    rows: list[DrawnRow] = []
    n_headers, start = 0, 1
    for number, line in enumerate(lines[1:], start=1):
        if not _BORDER.fullmatch(line):
            continue
        if number > start:
            rows.append(DrawnRow(_drawn_cells(lines[start:number], corners), start, number))
        if "=" in line:
            n_headers = len(rows)
        start = number + 1
    return DrawnTable("", tuple(rows[:n_headers]), tuple(rows[n_headers:]))


def _drawn_cells(lines: list[str], corners: list[int]) -> tuple[str, ...]:
    words: list[list[str]] = [[] for _ in corners[1:]]
    for line in lines:
        walls = [place for place in corners if line[place : place + 1] == "|"]
        for left, right in pairwise(walls):
            words[corners.index(left)].append(line[left + 1 : right].strip())
    return tuple(" ".join(filter(None, cell)) for cell in words)


def parse_list_table(source: str) -> DrawnTable:
    """A list of lists; `:header-rows:` says how many of its rows are the header."""
    lines = source.split("\n")
    match = _DIRECTIVE.match(lines[0])
    rows: list[tuple[int, list[str]]] = []
    n_headers, end = 0, len(lines)
    for number, line in enumerate(lines[1:], start=1):
        if re.fullmatch(r"\s*[`~:]{3,}\s*", line):
            end = number
        elif not rows and (option := _HEADER_ROWS.fullmatch(line)):
            n_headers = int(option["count"])
        elif row := _ROW.match(line):
            rows.append((number, [row["words"].strip()]))
        elif rows and (cell := _CELL.match(line)):
            rows[-1][1].append(cell["words"].strip())
        elif rows and line.strip():
            rows[-1][1][-1] += f" {line.strip()}"
    ends = [*(start for start, _ in rows[1:]), end]
    made = [DrawnRow(tuple(cells), start, stop) for (start, cells), stop in zip(rows, ends, strict=True)]
    return DrawnTable(match["title"].strip() if match else "", tuple(made[:n_headers]), tuple(made[n_headers:]))
