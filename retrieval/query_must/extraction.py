"""Move a predicate out of the JSON that a table row became: from content to metadata.

It knows nothing of the object's shape. It decodes every JSON object that stands in the content, takes the first
`query_must` that it meets, and writes that one object back without it. Everything else keeps its bytes.
"""

import json
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_KEY = "query_must"


class Extraction(NamedTuple):
    """A predicate, and the content without it."""

    query_must: str | None
    """The predicate as JSON; None if there was none, or an empty one, which says nothing."""
    content: str


def extract_query_must(content: str) -> Extraction:
    """Take the first `query_must` out of the first JSON object that has one. Invalid JSON and plain text stay as is."""
    start = content.find("{") if f'"{_KEY}"' in content else -1
    while start >= 0:
        try:
            value, stop = _DECODER.raw_decode(content, start)
        except (ValueError, RecursionError):
            start = content.find("{", start + 1)
            continue
        found, predicate = _take(value)
        if found:
            cleaned = json.dumps(value, ensure_ascii=False, indent=_indent(content[start:stop]))
            return Extraction(
                json.dumps(predicate, ensure_ascii=False) if predicate else None,
                content[:start] + cleaned + content[stop:],
            )
        start = content.find("{", stop)
    return Extraction(None, content)


def _take(value: Any) -> tuple[bool, Any]:
    """Remove the first `query_must` from a decoded value, outer objects before inner ones."""
    if isinstance(value, dict):
        if _KEY in value:
            return True, value.pop(_KEY)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            found, predicate = _take(item)
            if found:
                return True, predicate
    return False, None


def _indent(source: str) -> int | None:
    """Return the indentation of an object's first member, or None if it stands on one line."""
    _, newline, rest = source.partition("\n")
    return len(rest) - len(rest.lstrip(" ")) if newline else None
