"""HTML tables inside markdown, as the grid of cells a browser would draw."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

MAX_SPAN = 1000
"""HTML's own limit for colspan; a larger number is a typing error and would fill the memory."""

_COMMENT_OR_TABLE = re.compile(r"<!--.*?-->|(?P<open><table\b)|</table\s*>", re.IGNORECASE | re.DOTALL)
_CELL_START = re.compile(r"<t[dh]\b", re.IGNORECASE)
_PART_END = re.compile(r"</(?:t[drh]|tbody|thead|tfoot|caption)\s*>", re.IGNORECASE)
_RAISED = re.compile(r"</?sup>")
_BREAKS = re.compile(r"br|p|li|ul|ol|dl|dt|dd|div|hr|pre|blockquote|h[1-6]|table|tr|td|th|caption")
"""Elements that a browser draws apart from the words before and after them."""


@dataclass(slots=True)
class _Cell:
    words: list[str]
    rowspan: int
    colspan: int
    heading: bool


@dataclass(slots=True)
class _HtmlRow:
    line: int
    cells: list[_Cell] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A drawn table: spanned cells are repeated, stacked header rows are joined; `<sup>` stays in its cells."""

    caption: str | None
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """0-based line of each row, relative to the parsed text."""


@dataclass(frozen=True, slots=True)
class TableSpan:
    """A table's offsets in its markup, the end exclusive, and whether it has an end tag."""

    start: int
    end: int
    closed: bool


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[_HtmlRow] = []
        self.caption: list[str] | None = None
        self._words: list[str] | None = None
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag == "table"
        if tag == "sup" and self._words is not None:
            self._words.append("<sup>")
        if self._depth > 1 or tag not in ("tr", "td", "th", "caption"):
            self._break_at(tag)
        elif tag == "tr":
            self._words = None
            self._new_row()
        elif tag == "caption":
            self.caption = self._words = []
        else:
            given = dict(attrs)
            self._new_cell(_Cell([], _span(given.get("rowspan")), _span(given.get("colspan")), tag == "th"))

    def handle_endtag(self, tag: str) -> None:
        if self._depth == 1 and tag in ("tr", "td", "th", "caption"):
            self._words = None
        if tag == "sup" and self._words is not None:
            self._words.append("</sup>")
        self._break_at(tag)
        self._depth -= tag == "table"

    def handle_data(self, data: str) -> None:
        if self._words is None and self._depth and data.strip():
            # Words in a table and in no cell: they are kept as a line of their own.
            if self.rows and self.rows[-1].cells:
                self._new_row()
            self._new_cell(_Cell([], 1, 1, heading=False))
        if self._words is not None:
            self._words.append(data)

    def _new_row(self) -> None:
        self.rows.append(_HtmlRow(self.getpos()[0] - 1))

    def _new_cell(self, cell: _Cell) -> None:
        if not self.rows:
            self._new_row()
        self.rows[-1].cells.append(cell)
        self._words = cell.words

    def _break_at(self, tag: str) -> None:
        if self._words is not None and _BREAKS.fullmatch(tag):
            self._words.append(" ")


def _span(value: str | None) -> int:
    return min(int(value), MAX_SPAN) if value and value.isdecimal() and int(value) > 0 else 1


def table_spans(markup: str) -> tuple[TableSpan, ...]:
    """Where the tables of `markup` are; a table in a cell is part of the cell.

    A table without an end tag goes on to the next table, or to the end; not over what follows its last finished row.
    """
    spans: list[TableSpan] = []
    start, depth = -1, 0
    for match in _COMMENT_OR_TABLE.finditer(markup):
        if match["open"] and depth and not in_cell(markup[start : match.start()]):
            spans.append(TableSpan(start, _rows_end(markup, start, match.start()), closed=False))
            depth = 0
        if match["open"]:
            start, depth = (match.start(), 1) if not depth else (start, depth + 1)
        elif depth and match[0].startswith("</"):
            depth -= 1
            if not depth:
                spans.append(TableSpan(start, match.end(), closed=True))
    if depth:
        spans.append(TableSpan(start, _rows_end(markup, start, len(markup)), closed=False))
    return tuple(spans)


def _last_end(pattern: re.Pattern[str], markup: str) -> int:
    return max((match.end() for match in pattern.finditer(markup)), default=-1)


def in_cell(markup: str) -> bool:
    """Whether the last cell that `markup` begins is still open at its end."""
    return _last_end(_CELL_START, markup) > _last_end(_PART_END, markup)


def _rows_end(markup: str, start: int, end: int) -> int:
    part = markup[start:end]
    return end if in_cell(part) or not _PART_END.search(part) else start + _last_end(_PART_END, part)


def parse_html_table(markup: str) -> HtmlTable | None:
    """The first table of `markup`, or None if it has no cell."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    rows = [row for row in reader.rows if row.cells]
    if not rows:
        return None
    grid = _draw(rows)
    stacked = next((i for i, row in enumerate(rows) if not all(cell.heading for cell in row.cells)), len(rows))
    stacked = min(max(stacked, 1), max(len(rows) - 1, 1))
    caption = without_raised("".join(reader.caption)) if reader.caption else None
    lines = tuple(row.line for row in rows[stacked:])
    return HtmlTable(caption or None, _join_headers(grid[:stacked]), tuple(map(tuple, grid[stacked:])), lines)


def without_raised(cell: str) -> str:
    """The words of a cell: what is raised stands apart, as a note's mark is no digit of a number."""
    return " ".join(_RAISED.sub(" ", cell).split())


def _draw(rows: list[_HtmlRow]) -> list[list[str]]:
    placed: list[dict[int, str]] = [{} for _ in rows]
    for y, row in enumerate(rows):
        x = 0
        for cell in row.cells:
            while x in placed[y]:
                x += 1
            text = " ".join("".join(cell.words).split())
            for below in range(y, min(y + cell.rowspan, len(rows))):
                for right in range(x, x + cell.colspan):
                    placed[below].setdefault(right, text)
            x += cell.colspan
    width = max((max(row, default=-1) for row in placed), default=-1) + 1
    return [[row.get(x, "") for x in range(width)] for row in placed]


def _join_headers(grid: list[list[str]]) -> tuple[str, ...]:
    return tuple(" ".join(dict.fromkeys(part for part in column if part)) for column in zip(*grid, strict=True))
