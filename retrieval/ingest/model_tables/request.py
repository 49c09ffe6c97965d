"""One table as a request to a model, and which tables are sent at all."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from retrieval.ingest.model_tables.form import ModelTable
from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.table import Table
from retrieval.models.chat import Asked, likely_tokens
from retrieval.models.prompts import prompt_words, versioned

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

    def asked(self, model: str) -> Asked:
        """The request to a model."""
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", self.told))
        return Asked(model, messages, self.most_answered, form=ModelTable)


def prompt_version() -> str:
    """The number of the prompt, and a hash of its words and of the form: whoever changes either asks anew."""
    return versioned(__package__, PROMPT_FILE, ModelTable)


def data_rows(reading: Reading) -> tuple[ReadRow, ...]:
    """The rows that a model is asked about; labels and notes are the rules' work."""
    return tuple(row for row in reading.rows if row.role == "data" and any(row.cells))


def why_unsent(table: Table, reading: Reading) -> Unsent | None:
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


def request_of(table: Table, reading: Reading) -> TableRequest:
    """The request about a table that can be sent."""
    rows = data_rows(reading)
    said = {
        "headings": list(table.heading_path),
        "caption": table.caption or "",
        "about": " ".join(filter(None, (table.purpose, table.about))),
        "key_column": reading.key_column + 1,
        "columns": [{"column": at, "heading": head} for at, head in enumerate(reading.columns, start=1)],
        "rows": [_row(table, row) for row in rows],
    }
    told = json.dumps(said, ensure_ascii=False)
    # The cells come back, the keys and headings in titles, names and conditions: twice what was sent is ample.
    answered = 2 * likely_tokens(told) + _PER_ROW * len(rows) + _PER_TABLE
    return TableRequest(table.id, told, min(answered, MOST_ANSWERED))


def _row(table: Table, row: ReadRow) -> dict[str, object]:
    said: dict[str, object] = {"row": row.ordinal, "cells": list(row.cells)}
    if row.label:
        said["under"] = row.label
    if notes := table.rows[row.ordinal].notes:
        said["notes"] = list(notes)
    return said
