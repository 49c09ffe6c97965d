"""Where HTML tables begin and end in markdown, read once from front to back, piece by piece."""

import re
from dataclasses import dataclass, replace

_TOKEN = re.compile(
    r"(?P<comment><!--)|(?P<open><table\b)|(?P<close></table\s*>)|(?P<cell><t[dh]\b)"
    r"|(?P<part></(?:t[drh]|tbody|thead|tfoot|caption)\s*>)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TableSpan:
    """A table's offsets in its markup, the end exclusive, and whether it has an end tag."""

    start: int
    end: int
    closed: bool


@dataclass(frozen=True, slots=True)
class _State:
    spans: tuple[TableSpan, ...] = ()
    start: int = -1
    """Of the table that is open."""
    depth: int = 0
    """Tables that are open: the one that began at `start`, and those in its cells."""
    in_cell: bool = False
    rows_end: int = -1
    """Where the last finished part of the open table ends."""


class TableScan:
    """The tables of a text that is given piece by piece; what was read is not read again."""

    def __init__(self) -> None:
        self._state = _State()
        self._length = 0
        self._before_comment: _State | None = None
        """The state at a `<!--` whose end has not come; without one its words are text."""

    @property
    def depth(self) -> int:
        """How many tables are open at the end of what was given."""
        return self._state.depth

    @property
    def in_cell(self) -> bool:
        """Whether the last cell that begins is still open."""
        return self._state.in_cell

    @property
    def count(self) -> int:
        """How many tables began; one in a cell is part of the cell."""
        return len(self._state.spans) + bool(self._state.depth)

    def feed(self, text: str) -> None:
        """Go on with the next piece; no tag begins in one piece and ends in another."""
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
        """The tables; one that is open ends with the text, or with its last finished part if no cell is open."""
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
            self._state = _State((*state.spans, TableSpan(state.start, end, closed=True)))
        elif kind == "close":
            self._state = replace(state, depth=max(state.depth - 1, 0))
        elif kind == "cell":
            self._state = replace(state, in_cell=True)
        else:
            self._state = replace(state, in_cell=False, rows_end=end)

    def _unclosed(self, end: int) -> TableSpan:
        state = self._state
        goes_on = state.in_cell or state.rows_end < state.start
        return TableSpan(state.start, end if goes_on else state.rows_end, closed=False)


def table_spans(markup: str) -> tuple[TableSpan, ...]:
    """Where the tables of `markup` are; a table in a cell is part of the cell.

    A table without an end tag goes on to the next table, or to the end; not over what follows its last finished row.
    """
    scan = TableScan()
    scan.feed(markup)
    return scan.spans()
