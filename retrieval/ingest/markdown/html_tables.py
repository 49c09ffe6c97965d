"""HTML tables in markdown: their places, and their cells as a browser would draw them."""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

MAX_SPAN = 1000
"""HTML's own limit for colspan; a larger number is a typing error and would exhaust the memory."""
MAX_CELLS = 100_000
"""Cells up to which a table may have any spans."""
MAX_COPIES = 20
"""Most cells drawn for each written cell in a larger table."""

MIN_TITLED = 2
"""Rows of a table that is too short for a title above a header and a row."""

_NUMBER = re.compile(r"\W*\d[\d.,\s]*\W*")
_RAISED = re.compile(r"</?sup>")
_BREAKS = re.compile(r"br|p|li|ul|ol|dl|dt|dd|div|hr|pre|blockquote|h[1-6]|table|tr|td|th|caption")
"""Elements that a browser separates from the words before and after them."""


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
    """A drawn table: spanned cells are repeated, stacked header rows are joined; `<sup>` is kept in its cells."""

    caption: str | None
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """0-based line of each row, relative to the parsed text."""
    unspanned: bool = False
    """Whether its spans cover more cells than any real table has, so that each counts as one cell."""


class _HtmlTableParser(HTMLParser):
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
            # Words in a table but outside of its cells are kept as a separate row.
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
    digits = (value or "").strip().lstrip("0")
    if not digits.isdecimal():
        return 1
    return min(int(digits), MAX_SPAN) if len(digits) < 5 else MAX_SPAN  # Python refuses numbers of 5,000 digits


def parse_html_table(markup: str) -> HtmlTable | None:
    """Return the first table of `markup`, or None if it has no cells."""
    reader = _HtmlTableParser()
    reader.feed(markup)
    reader.close()
    rows = [row for row in reader.rows if row.cells]
    if not rows:
        return None
    unspanned = _is_too_large(rows)
    if unspanned:
        rows = [_HtmlRow(row.line, [replace(cell, rowspan=1, colspan=1) for cell in row.cells]) for row in rows]
    grid = _draw(rows)
    caption = without_raised("".join(reader.caption)) if reader.caption else None
    titled = len(rows) > MIN_TITLED and _spans_all(rows[0], grid[0])
    stacked = _header_rows(rows, grid)
    if titled and not caption and (stacked > 1 or not any(map(_spans_all, rows[1:], grid[1:]))):
        caption, grid, rows, stacked = grid[0][0], grid[1:], rows[1:], stacked - 1
    if titled and stacked < 2 and (not stacked or _spans_all(rows[0], grid[0])):
        # A cell over all columns names the rows below it, not a column.
        grid, rows, stacked = [[""] * len(grid[0]), *grid], [rows[0], *rows], 1
    lines = tuple(row.line for row in rows[stacked:])
    header = _join_headers(grid[:stacked])
    body = tuple(_once(row, cells) for row, cells in zip(rows[stacked:], grid[stacked:], strict=True))
    return HtmlTable(caption or None, header, body, lines, unspanned)


def _header_rows(rows: list[_HtmlRow], grid: list[list[str]]) -> int:
    """Return the number of header rows: those of `<th>` cells, or one row, or words over groups of columns and the
    rows that name the columns below them."""
    headings = next((i for i, row in enumerate(rows) if not all(cell.heading for cell in row.cells)), len(rows))
    if not headings and len(rows) > MIN_TITLED and (grouped := _grouped(rows[0], len(grid[0]))):
        tall = max(2, *(cell.rowspan for cell in rows[0].cells))
        named = all(grid[1][position] and not _NUMBER.fullmatch(grid[1][position]) for position in grouped)
        headings = tall if named and tall < len(rows) else 1
    return min(max(headings, 1), max(len(rows) - 1, 1))


def _grouped(row: _HtmlRow, width: int) -> list[int]:
    """Return the columns under cells that span several columns, but not all."""
    spanned: list[int] = []
    x = 0
    for cell in row.cells:
        spanned += range(x, x + cell.colspan) if 1 < cell.colspan < width and "".join(cell.words).strip() else ()
        x += cell.colspan
    return spanned


def _spans_all(row: _HtmlRow, cells: list[str]) -> bool:
    """Whether a row is a single cell that spans all of several columns."""
    return len(row.cells) == 1 < len(cells) <= row.cells[0].colspan


def _once(row: _HtmlRow, cells: list[str]) -> tuple[str, ...]:
    """Return the cells of a row; a cell that spans all columns is not repeated, as it labels the rows below."""
    return (cells[0], *[""] * (len(cells) - 1)) if _spans_all(row, cells) else tuple(cells)


def _is_too_large(rows: list[_HtmlRow]) -> bool:
    """Whether spans give far more cells than the author wrote, counted before a cell is drawn."""
    written = sum(len(row.cells) for row in rows)
    drawn = sum(cell.colspan * min(cell.rowspan, len(rows) - y) for y, row in enumerate(rows) for cell in row.cells)
    widest = max(sum(cell.colspan for cell in row.cells) for row in rows)
    limit = max(MAX_CELLS, MAX_COPIES * written)
    narrow = max(len(row.cells) for row in rows) * len(rows)
    return drawn > limit or widest * len(rows) > max(limit, narrow)


def without_raised(cell: str) -> str:
    """Return the words of a cell, with raised text separated, because the mark of a note is not part of a number."""
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


_TOKEN = re.compile(
    r"(?P<comment><!--)|(?P<open><table\b)|(?P<close></table\s*>)|(?P<cell><t[dh]\b)"
    r"|(?P<part></(?:t[drh]|tbody|thead|tfoot|caption)\s*>)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TableSpan:
    """A table's offsets in its markup, the end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _State:
    spans: tuple[TableSpan, ...] = ()
    start: int = -1
    """Start of the open table."""
    depth: int = 0
    """Number of open tables: the one that began at `start`, and those in its cells."""
    in_cell: bool = False
    rows_end: int = -1
    """End of the last finished part of the open table."""


class TableScan:
    """Finds the tables of a text that is fed piece by piece, each of which is read only once."""

    def __init__(self) -> None:
        self._state = _State()
        self._length = 0
        self._before_comment: _State | None = None
        """The state at a `<!--` whose end has not been read; without an end, its words are text."""

    @property
    def depth(self) -> int:
        """Number of tables that are open at the end of the text so far."""
        return self._state.depth

    @property
    def in_cell(self) -> bool:
        """Whether the last cell is still open."""
        return self._state.in_cell

    @property
    def count(self) -> int:
        """Number of tables that have begun; a table in a cell is part of the cell."""
        return len(self._state.spans) + bool(self._state.depth)

    def feed(self, text: str) -> None:
        """Read the next piece; no tag may begin in one piece and end in another."""
        at = 0
        if self._before_comment and (end := text.find("-->")) >= 0:
            self._state, self._before_comment, at = self._before_comment, None, end + 3
        while match := _TOKEN.search(text, at):
            at = match.end()
            if match["comment"] is None:
                self._read(str(match.lastgroup), self._length + match.start(), self._length + at)
            elif self._before_comment is None:
                end = text.find("-->", at)
                at = end + 3 if end >= 0 else at
                self._before_comment = None if end >= 0 else self._state
        self._length += len(text)

    def spans(self) -> tuple[TableSpan, ...]:
        """Return the tables; an open one ends with the text, or with its last finished part if no cell is open."""
        if not self._state.depth:
            return self._state.spans
        return (*self._state.spans, self._unclosed(self._length))

    def _read(self, kind: str, start: int, end: int) -> None:
        state = self._state
        if kind == "open" and state.depth and state.in_cell:
            self._state = replace(state, depth=state.depth + 1)
        elif kind == "open":
            spans = (*state.spans, self._unclosed(start)) if state.depth else state.spans
            self._state = _State(spans, start, 1)
        elif kind == "close" and state.depth == 1:
            self._state = _State((*state.spans, TableSpan(state.start, end)))
        elif kind == "close":
            self._state = replace(state, depth=max(state.depth - 1, 0))
        elif kind == "cell":
            self._state = replace(state, in_cell=True)
        else:
            self._state = replace(state, in_cell=False, rows_end=end)

    def _unclosed(self, end: int) -> TableSpan:
        state = self._state
        goes_on = state.in_cell or state.rows_end < state.start
        return TableSpan(state.start, end if goes_on else state.rows_end)


def table_spans(markup: str) -> tuple[TableSpan, ...]:
    """Return the places of the tables in `markup`; a table in a cell is part of the cell.

    A table without an end tag extends to the next table or to the end, but not beyond its last finished row.
    """
    scan = TableScan()
    scan.feed(markup)
    return scan.spans()
