"""A table as it is in its document."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.types import TableRule


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a table as written: cells left to right, padded to the header's width."""

    cells: tuple[str, ...]
    line: int
    source: str
    """The literal source line."""
    underlined: bool = False
    """Whether a second delimiter line is directly below it: it may head the rows that follow."""
    bold: bool = False
    """Whether all its words are bold."""
    notes: tuple[str, ...] = ()
    """What the marks in its cells mean: the notes under the table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is in its document. Key: id, unique in the library."""

    id: str
    book: str
    document: str
    heading_path: tuple[str, ...]
    caption: str | None
    """Its title, or else the sentence that introduces it."""
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    lines: tuple[int, int]
    header_source: str = ""
    """The literal header line; a header can be data (key/value blocks)."""
    introduced: bool = False
    """Whether the caption is a sentence: it says what the table is about, and nobody calls the table that."""
    about: str = ""
    """What else is said about it: a sentence below a title, or a short paragraph alone under the heading."""
    purpose: str = ""
    """One short sentence of the prose above it that says what it is for. It is shown; what is searched is `about`."""
    warning: str = ""
    """What of it could not be read as it is written."""
    rule: TableRule | None = None
    """What the book's owner says of it; its caption is in `caption` already."""

    @property
    def title(self) -> str | None:
        """The caption where it is a title."""
        return None if self.introduced else self.caption


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

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[DrawnRow]) -> "DrawnTable":
        """A table whose header is in no line of the source, without the columns that are blank in all rows."""
        filled = [column for column in range(len(columns)) if any(row.cells[column] for row in rows)]
        header = DrawnRow(tuple(columns[column] for column in filled), 0, 0)
        cut = (DrawnRow(tuple(row.cells[column] for column in filled), row.start, row.end) for row in rows)
        return cls("", (header,), tuple(cut))
