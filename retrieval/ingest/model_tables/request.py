"""A table as a request to a model, and which tables are sent."""

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
from retrieval.ingest.tables.header import ReadRow
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
"""Tokens of one answer; the models that this is for give no more."""
_PER_ROW, _PER_TABLE = 220, 400
"""Tokens of an answer beside the cells: title, description, names, condition; paths of the columns."""

Unsent = Literal["record", "pairs side by side", "headings in the middle", "no rows", "too large"]
"""Why a table is not one for the model: the rules read it as well."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What is asked about one table. Key: key."""

    table_id: str
    told: str
    """JSON: all that is sent of the book."""
    most_answered: int
    """Tokens."""

    @property
    def key(self) -> str:
        """Hash of the table as it is sent."""
        return sha256(self.told.encode()).hexdigest()

    def chat_request(self, model: str) -> ChatRequest:
        """The request to a model."""
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", self.told))
        return ChatRequest(model, messages, self.most_answered, form=ModelTable)


def prompt_version() -> str:
    """The number of the prompt, and a hash of its words and of the form: whoever changes either asks anew."""
    return versioned(__package__, PROMPT_FILE, ModelTable)


def data_rows(reading: TableMeaning) -> tuple[ReadRow, ...]:
    """The rows that a model is asked about; labels and notes are the rules' work."""
    return tuple(row for row in reading.rows if row.role == "data" and any(row.cells))


def why_unsent(table: Table, reading: TableMeaning) -> Unsent | None:
    """Why a table is not sent; None if it can be."""
    rows = data_rows(reading)
    if reading.kind == "record":
        return "record"
    if reading.period != len(reading.columns):
        return "pairs side by side"
    if any(row.columns != reading.columns for row in rows):
        return "headings in the middle"
    if not rows:
        return "no rows"
    return "too large" if request_of(table, reading).most_answered >= MOST_ANSWERED else None


def request_of(table: Table, reading: TableMeaning) -> TableRequest:
    """The request about a table that can be sent."""
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
    # The cells come back, the keys and headings in titles, names and conditions: twice what was sent is ample.
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
    """The lines of a list of tables, in markdown or plain; bullets, blank lines and backticks do not count.

    Raises:
        LibraryError: there is no such file, or it is not text, or names no table.
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
    """The ids of the tables that a list names, by caption, by the nearest heading or as `file.md:LINE`, and a sentence
    for each line that names none."""
    names = {table.id: {normal(name) for name in _names(table)} for table in tables}
    wanted = {normal(title): title for title in titles}
    listed_ids = frozenset(table for table, name in names.items() if not name.isdisjoint(wanted))
    known = {name for of_table in names.values() for name in of_table}
    return listed_ids, tuple(_unfound(title, name, names) for name, title in wanted.items() if name not in known)


def by_rule(tables: Sequence[Table], vocabulary: Vocabulary) -> frozenset[str]:
    """The ids of the tables of which a question can name a row: names and conditions do something there alone."""
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
