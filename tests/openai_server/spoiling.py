"""Answers about tables, spoiled: what a model gets wrong while it looks right."""

from __future__ import annotations

import json

from tests.openai_server.faults import Fault


def spoiled(content: str, fault: Fault | None) -> str:
    if fault == "malformed":
        return content[: len(content) // 2] + "}"
    if fault == "truncated":
        return content[: len(content) // 2]
    if fault not in ("dropped_row", "changed_value"):
        return content
    answer = json.loads(content)
    rows = answer.get("rows") or []
    if not rows:
        return content
    if fault == "dropped_row":
        rows.pop()
    else:
        cells = rows[len(rows) // 2]["cells"]
        cells[-1] = f"{cells[-1]}1"
    return json.dumps(answer)
