"""A model that describes passages truthfully: it answers a request about a passage from the request alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def asked_passage(body: Mapping[str, Any]) -> dict[str, Any]:
    """The passage of a request."""
    return json.loads(body["messages"][1]["content"])  # type: ignore[no-any-return]


def answer_about(passage: Mapping[str, Any]) -> dict[str, Any]:
    """A spell where a heading says so, else a rule; the first tag and trait; the passage's own first words."""
    spells = any("spell" in heading.lower() for heading in passage["headings"][:-1])
    words = [line for line in passage["text"].split("\n") if line and not line.startswith(("#", "["))]
    return {
        "content_kind": "spell" if spells else "rule",
        "is_rule_bearing": True,
        "tags": passage["tags"][:1],
        "traits": passage["traits"][:1],
        "summary": " ".join(" ".join(words or [passage["text"]]).split()[:6]),
    }


def describing(body: Mapping[str, Any]) -> str:
    """What `FakeOpenAi.answering` may be."""
    return json.dumps(answer_about(asked_passage(body)), ensure_ascii=False)
