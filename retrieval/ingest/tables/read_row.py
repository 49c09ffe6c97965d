"""A row of a table with its part in it."""

from dataclasses import dataclass
from typing import Literal

RowRole = Literal["data", "label", "note", "heading"]


@dataclass(frozen=True, slots=True)
class ReadRow:
    """One source row, as it is to be read. `ordinal` counts the rows of the source table."""

    ordinal: int
    role: RowRole
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    label: str | None = None
    """The label row above, where the table has such rows."""
