"""A table as something to ask about: which rows a question can mean, by which numbers, for which columns."""

import re
from collections import Counter
from collections.abc import Sequence

from evals.generation.phrasing import NumberKey, is_dice, number_key
from evals.questions.chunk_places import folded
from retrieval.types import Chunk

_LONGEST_KEY, _LONGEST_ANSWER = 60, 80
_WIDEST_RANGE = 200
_INVENTED = re.compile(r"column \d+", re.IGNORECASE)
"""What columns without a heading are called; nobody would ask for it."""


class AskedTable:
    """The rows of one table, or its record."""

    def __init__(self, rows: Sequence[Chunk]) -> None:
        self.rows = tuple(rows)
        self._same_key = Counter(folded(row.row_key or "") for row in self.rows)
        self.number_keys = {row.id: key for row in self.rows if (key := number_key(row.row_key or ""))}
        self._covering: Counter[int] = Counter()
        for key in self.number_keys.values():
            self._covering.update(_span(key))

    def distinct(self) -> list[Chunk]:
        """Rows whose key is no other row's, with a column to ask for. A record always is."""
        return [
            row
            for row in self.rows
            if row.row_key
            and len(row.row_key) <= _LONGEST_KEY
            and self._same_key[folded(row.row_key)] == 1
            and (row.id not in self.number_keys or row.kind == "record" or self.numbers(row))
            and self.columns(row)
        ]

    def numbers(self, row: Chunk) -> list[int]:
        """Numbers that this row's key stands for and no other row's; none if the key is a name."""
        key = self.number_keys.get(row.id)
        if key is None or row.kind == "record" or not key_column(row).strip():
            return []
        return [number for number in _span(key) if self._covering[number] == 1]

    @property
    def highest(self) -> int | None:
        """The largest number among the keys; None unless every key is a number."""
        if len(self.number_keys) < len(self.rows):
            return None
        return max(key.high for key in self.number_keys.values())

    @property
    def of_fields(self) -> bool:
        """Whether the rows are fields (`Armour Class:`) of what the table, or each further column, is about."""
        colons = sum((row.row_key or "").rstrip("* ").endswith(":") for row in self.rows)
        return colons * 2 > len(self.rows) and not any(row.kind == "record" for row in self.rows)

    @staticmethod
    def columns(row: Chunk) -> list[tuple[str, str]]:
        """Columns that can be asked for, with their cells: named once, not the key, answered in a few words."""
        count = Counter(folded(name) for name in row.columns)
        return [
            (name, cell)
            for name, cell in zip(row.columns, row.cells, strict=False)
            if count[folded(name)] == 1
            and not _INVENTED.fullmatch(name.strip())
            and not is_dice(name)
            and any(letter.isalpha() for letter in name)
            and any(letter.isalnum() for letter in cell)
            and len(cell) <= _LONGEST_ANSWER
            and len(name) <= _LONGEST_KEY
            and cell != row.row_key
        ]


def key_column(row: Chunk) -> str:
    """The name of the column that holds the row key; that of the first one if none does."""
    named = zip(row.columns, row.cells, strict=False)
    return next((name for name, cell in named if cell == row.row_key), row.columns[0] if row.columns else "")


def _span(key: NumberKey) -> range:
    return range(key.low, min(key.high, key.low + _WIDEST_RANGE) + 1)
