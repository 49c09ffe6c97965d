"""A table as a request to a model, and the choice of the tables that are sent."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from retrieval.errors import LibraryError
from retrieval.ingest.tables.key_column import ReadRow
from retrieval.ingest.tables.reading import TableMeaning, read_table, why_unkeyed
from retrieval.ingest.tables.row_object import names_of_rows, subject
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.chat import ChatRequest, likely_tokens, prompt_words, versioned
from retrieval.types import normal


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ModelColumn(_Form):
    """What the values of one column are called."""

    column: int
    path: list[str]


class ModelRange(_Form):
    """A number of the question must lie between these; null leaves a side open."""

    min: float | None
    max: float | None
    of: list[str]


class ModelPredicate(_Form):
    """A condition on the question; what is empty or null asks nothing."""

    contain_one_of: list[list[str]]
    contain_all_of: list[str]
    contain: str | None
    contain_range: ModelRange | None
    contain_across: list[list[str]]


class ModelRow(_Form):
    """One row."""

    row: int
    title: str
    description: str
    cells: list[str]
    names: list[str]
    query_must: ModelPredicate


class ModelTable(_Form):
    """One table."""

    columns: list[ModelColumn]
    rows: list[ModelRow]


PROMPT_FILE = "prompt_v1.txt"
MOST_ANSWERED = 16_384
"""Most tokens of one answer, the limit of the models that are used."""
_PER_ROW, _PER_TABLE = 220, 400
"""Tokens of an answer in addition to the cells, for each row (title, description, names, condition) and for the
table (paths of the columns)."""

Unsent = Literal["record", "headings in the middle", "no rows", "too large"]
"""Why a table is not sent: the rules read it equally well, or it is too large."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """The request about one table. Key: key."""

    table_id: str
    told: str
    """The part of the book that is sent, as JSON."""
    most_answered: int
    """Most tokens of the answer."""

    @property
    def key(self) -> str:
        """Hash of the table in the form in which it is sent."""
        return sha256(self.told.encode()).hexdigest()

    def chat_request(self, model: str) -> ChatRequest:
        """Return the request to a model."""
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", self.told))
        return ChatRequest(model, messages, self.most_answered, form=ModelTable)


def prompt_version() -> str:
    """Return the number of the prompt, and a hash of its words and of the form, so that changes cause new requests."""
    return versioned(__package__, PROMPT_FILE, ModelTable)


def data_rows(reading: TableMeaning) -> tuple[ReadRow, ...]:
    """Return the rows that a model is asked about; labels and notes are left to the rules."""
    return tuple(row for row in reading.rows if row.role == "data" and any(row.cells))


def why_unsent(table: Table, reading: TableMeaning) -> Unsent | None:
    """Return why a table is not sent; None if it can be."""
    rows = data_rows(reading)
    if reading.kind == "record":
        return "record"
    if any(row.columns != reading.columns for row in rows):
        return "headings in the middle"
    if not rows:
        return "no rows"
    return "too large" if request_of(table, reading).most_answered >= MOST_ANSWERED else None


def request_of(table: Table, reading: TableMeaning) -> TableRequest:
    """Return the request about a table that may be sent."""
    rows = data_rows(reading)
    content = {
        "headings": list(table.heading_path),
        "caption": table.caption or "",
        "about": " ".join(filter(None, (table.purpose, table.about))),
        "key_column": reading.key_column + 1,
        "columns": [{"column": at, "heading": head} for at, head in enumerate(reading.columns, start=1)],
        "rows": [_row(table, row) for row in rows],
    }
    told = json.dumps(content, ensure_ascii=False)
    # The answer repeats the cells, and keys and headings in titles, names and conditions: twice the request is ample.
    answered = 2 * likely_tokens(told) + _PER_ROW * len(rows) + _PER_TABLE
    return TableRequest(table.id, told, min(answered, MOST_ANSWERED))


def _row(table: Table, row: ReadRow) -> dict[str, object]:
    content: dict[str, object] = {"row": row.ordinal, "cells": list(row.cells)}
    if row.label:
        content["under"] = row.label
    if notes := table.rows[row.ordinal].notes:
        content["notes"] = list(notes)
    return content


_BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.|#+)\s+")
_SHOWN = 3


def read_table_list(path: Path) -> tuple[str, ...]:
    """Return the lines of a list of tables, without bullets, blank lines and backticks.

    Raises:
        LibraryError: there is no such file, it is not text, or it names no table.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LibraryError(f"the list of tables {path} cannot be read ({error}); name another, or none") from error
    lines = (_BULLET.sub("", line).strip().strip("`") for line in text.splitlines())
    titles = tuple(dict.fromkeys(line for line in lines if line))
    if not titles:
        raise LibraryError(f"{path} names no table; write the caption or the heading of one on each line")
    return titles


def listed(tables: Sequence[Table], titles: Sequence[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the ids of the tables that a list names by caption, nearest heading or `file.md:LINE`, and a sentence for
    each line that names none."""
    names = {table.id: {normal(name) for name in _names(table)} for table in tables}
    wanted = {normal(title): title for title in titles}
    listed_ids = frozenset(table for table, name in names.items() if not name.isdisjoint(wanted))
    known = {name for of_table in names.values() for name in of_table}
    return listed_ids, tuple(_unfound(title, name, names) for name, title in wanted.items() if name not in known)


def by_rule(tables: Sequence[Table], vocabulary: Vocabulary) -> frozenset[str]:
    """Return the ids of the tables whose rows a question can name: only there names and conditions have an effect."""
    ids = set()
    for table in tables:
        reading = read_table(table)
        if why_unkeyed(reading, names_of_rows(reading, vocabulary), vocabulary) is None:
            ids.add(table.id)
    return frozenset(ids)


def _names(table: Table) -> tuple[str, ...]:
    nearest = table.heading_path[-1] if table.heading_path else ""
    texts = (table.caption or "", nearest, subject(table), f"{table.document}:{table.lines[0]}")
    return tuple(name for name in texts if name)


def _unfound(title: str, name: str, names: Mapping[str, set[str]]) -> str:
    near = get_close_matches(name, sorted({known for name in names.values() for known in name}), n=_SHOWN, cutoff=0.5)
    return f"no table is called {title!r}" + (f"; there is {', '.join(map(repr, near))}" if near else "")
