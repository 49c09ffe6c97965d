"""Answers about tables and passages, spoiled: what a model gets wrong while it looks right."""

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
    if "content_kind" in answer:
        return json.dumps(_of_passage(answer, fault))
    rows = answer.get("rows") or []
    if not rows:
        return content
    if fault == "dropped_row":
        rows.pop()
    else:
        cells = rows[len(rows) // 2]["cells"]
        cells[-1] = f"{cells[-1]}1"
    return json.dumps(answer)


def _of_passage(answer: dict[str, object], fault: Fault) -> dict[str, object]:
    """It has no row to drop: a field is missing. A changed value is on no list, and in no passage."""
    if fault == "dropped_row":
        return {name: value for name, value in answer.items() if name != "is_rule_bearing"}
    return answer | {
        "content_kind": "unheard",
        "tags": ["unheard"],
        "traits": ["unheard"],
        "summary": f"{answer['summary']} 987654321",
    }
