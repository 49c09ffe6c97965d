"""What the owner of a book says of its tables: one entry of `tables.toml`, after it was checked."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

_Said = TypeVar("_Said")
_PLAIN = str.maketrans("‘’‚“”„−–—‑", "'''\"\"\"----")
_AT_THE_END = " .:*†‡§"
_NUMBERED = re.compile(r"\s*table(?:\s+[\w.-]*\d[\w.-]*)?\s*[:.—–]\s*(?=\S)", re.IGNORECASE)

EVERY = "*"
"""The row key that stands for all of them."""
KEY = "{key}"
"""In a name for every row: the row's key."""


def normal(text: str) -> str:
    """A heading, caption, column or row key as it is compared: case, blanks, the kind of quotes and dashes, and the
    marks at its ends do not count. Words do: `Weapon` is not `Weapons`."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold().split()).strip(_AT_THE_END)


@dataclass(frozen=True, slots=True)
class Find:
    """Which tables an entry is about: those for which all that is given holds, exactly but for `normal`."""

    heading: str | None = None
    """The nearest heading above the table."""
    caption: str | None = None
    """As the book has it, not as another key of the entry sets it; `Table 3:` before it may be left out."""
    head: str | None = None
    """The first cell of the head."""
    document: str | None = None
    """Path of the file in the book's folder."""

    def holds(self, table: "Find") -> bool:
        """Whether a table that all of this is said of is meant."""
        there = table.given
        return all(
            normal(wanted) in (normal(there[name]), normal(_NUMBERED.sub("", there[name], count=1)))
            if name == "caption"
            else normal(wanted) == normal(there[name])
            for name, wanted in self.given.items()
        )

    def __str__(self) -> str:
        return ", ".join(f"{name} {value!r}" for name, value in self.given.items())

    @property
    def given(self) -> Mapping[str, str]:
        """What it has, by name."""
        named = {"heading": self.heading, "caption": self.caption, "head": self.head, "document": self.document}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TableRule:
    """One entry. Key: (book, entry)."""

    entry: int
    """Its place in the file, from 1."""
    find: Find
    caption: str | None = None
    """What the table is called instead of its own caption."""
    key: str | None = None
    """Head of the column that picks the row."""
    subject: tuple[str, ...] = ()
    """What the table is about, in the words of a question."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further names of rows, by row key; under `EVERY` those of all rows, with `KEY` in them."""
    query_must: str | None = None
    """JSON: the predicate of every row."""
    row_query_must: Mapping[str, str] = field(default_factory=dict)
    """JSON by row key: the predicate of one row."""
    open: bool = False
    """No row carries a predicate."""

    def __str__(self) -> str:
        return f"entry {self.entry} ({self.find})"

    def key_column(self, columns: Sequence[str]) -> int | None:
        """Place of the column that the entry names; None if it names none, or none of these."""
        heads = [normal(column) for column in columns]
        return heads.index(normal(self.key)) if self.key is not None and normal(self.key) in heads else None

    def names_of(self, key: str) -> tuple[str, ...]:
        """The further names of the row with this key."""
        every = (name.replace(KEY, key.strip(_AT_THE_END)) for name in self.names.get(EVERY, ()))
        return (*(said_of(self.names, key) or ()), *every)

    def predicate_of(self, key: str) -> str | None:
        """The predicate of the row with this key: its own, or that of every row."""
        return said_of(self.row_query_must, key) or self.query_must


def said_of(values: Mapping[str, _Said], key: str) -> _Said | None:
    """What is written for a row key."""
    return next((value for name, value in values.items() if name != EVERY and normal(name) == normal(key)), None)
