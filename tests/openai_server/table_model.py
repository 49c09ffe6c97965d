"""A model that reads tables as well as one can: it answers a request about a table from the request alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

NOTHING = {
    "contain_one_of": [],
    "contain_all_of": [],
    "contain": None,
    "contain_range": None,
    "contain_across": [],
}


def asked_table(body: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a request."""
    return json.loads(body["messages"][1]["content"])  # type: ignore[no-any-return]


def answer_about(table: Mapping[str, Any]) -> dict[str, Any]:
    """Columns under their own headings; rows by key; a condition where the key is a number of two letters' label."""
    key = table["key_column"] - 1
    head = table["columns"][key]["heading"]
    about = table["caption"] or (table["headings"] or [""])[-1]
    rows = []
    for row in table["rows"]:
        cell = row["cells"][key] or next(filter(None, row["cells"]))
        number = re.fullmatch(r"-?\d+", cell) is not None
        called = f"{head} {cell}" if number else cell
        terms = [[called.lower()]] if number and "class" in head.lower() else []
        rows.append(
            {
                "row": row["row"],
                "title": f"{about} - {called}",
                "description": "What the book says of this row.",
                "cells": row["cells"],
                "names": [f"the {cell} entry"] if not number else [],
                "query_must": NOTHING | {"contain_one_of": terms},
            }
        )
    columns = [{"column": each["column"], "path": [each["heading"].lower()]} for each in table["columns"]]
    return {"columns": columns, "rows": rows}


def reading_tables(body: Mapping[str, Any]) -> str:
    """What `FakeOpenAi.answering` may be."""
    return json.dumps(answer_about(asked_table(body)), ensure_ascii=False)
