"""A table as it is in its document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.types import TableRule


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table as written: cells from left to right, padded to the header's width."""

    cells: tuple[str, ...]
    line: int
    source: str
    """The literal source line."""
    underlined: bool = False
    """Whether a second delimiter line is directly below it, so that it may head the rows that follow."""
    bold: bool = False
    """Whether all its words are bold."""
    notes: tuple[str, ...] = ()
    """The notes under the table to which marks in its cells refer."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is in its document. Key: id, unique in the library."""

    id: str
    book: str
    document: str
    heading_path: tuple[str, ...]
    caption: str | None
    """The table's title, or else the sentence that introduces it."""
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    lines: tuple[int, int]
    header_source: str = ""
    """The literal header line; a header can be data (key/value blocks)."""
    introduced: bool = False
    """Whether the caption is an introducing sentence rather than a title."""
    about: str = ""
    """Other words about it: a sentence below a title, or a short paragraph alone under the heading."""
    purpose: str = ""
    """One short sentence about its purpose from the prose above it. It is shown, but only `about` is searched."""
    warning: str = ""
    """A sentence about parts that could not be read as written."""
    rule: TableRule | None = None
    """The owner's rule for it; the rule's caption is already in `caption`."""

    @property
    def title(self) -> str | None:
        """The caption if it is a title, else None."""
        return None if self.introduced else self.caption


def named_columns(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns: an empty cell of a header becomes `entry` in the first column, else `column 2`."""
    return tuple(
        cell or (f"column {position}" if position > 1 else "entry") for position, cell in enumerate(header, start=1)
    )


_UNNAMED = re.compile(r"entry|column \d+")


def is_unnamed(column: str) -> bool:
    """Whether a column has no name of its own, but one that `named_columns` made."""
    return bool(_UNNAMED.fullmatch(column))


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row's cells as written, and its lines in the source, the end exclusive."""

    cells: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A drawn table, with rows of the header and of the body."""

    title: str
    headers: tuple[DrawnRow, ...]
    rows: tuple[DrawnRow, ...]

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[DrawnRow]) -> "DrawnTable":
        """Return a table whose header is not in the source, without columns that are blank in all rows."""
        filled = [column for column in range(len(columns)) if any(row.cells[column] for row in rows)]
        header = DrawnRow(tuple(columns[column] for column in filled), 0, 0)
        cut = (DrawnRow(tuple(row.cells[column] for column in filled), row.start, row.end) for row in rows)
        return cls("", (header,), tuple(cut))
