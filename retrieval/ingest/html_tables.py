"""HTML tables inside markdown, as the grid of cells a browser would draw."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

MAX_SPAN = 1000
"""HTML's own limit for colspan; a larger number is a typing error and would fill the memory."""


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
    """A drawn table: spanned cells are repeated, stacked header rows are joined."""

    caption: str | None
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """0-based line of each row, relative to the parsed text."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[_HtmlRow] = []
        self.caption: list[str] | None = None
        self._words: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append(_HtmlRow(self.getpos()[0] - 1))
        elif tag in ("td", "th"):
            if not self.rows:
                self.rows.append(_HtmlRow(self.getpos()[0] - 1))
            given = dict(attrs)
            cell = _Cell([], _span(given.get("rowspan")), _span(given.get("colspan")), tag == "th")
            self.rows[-1].cells.append(cell)
            self._words = cell.words
        elif tag == "caption":
            self.caption = self._words = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "caption"):
            self._words = None

    def handle_data(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)


def _span(value: str | None) -> int:
    return min(int(value), MAX_SPAN) if value and value.isdecimal() and int(value) > 0 else 1


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
    caption = " ".join("".join(reader.caption).split()) if reader.caption else None
    lines = tuple(row.line for row in rows[stacked:])
    return HtmlTable(caption or None, _join_headers(grid[:stacked]), tuple(map(tuple, grid[stacked:])), lines)


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
