"""Move a predicate out of the JSON that a table row became: from content to metadata.

It knows nothing of the object's shape. It decodes every JSON object in the content, takes every
`query_must` out of it, and writes it back without; the first one is the predicate. Everything else keeps its bytes.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_KEY = "query_must"


class Extraction(NamedTuple):
    """A predicate, and the content without it."""

    query_must: str | None
    """The predicate as JSON; None if there was none, or an empty one, which says nothing."""
    content: str


def extract_query_must(content: str) -> Extraction:
    """Take every `query_must` out of every JSON object; the first counts. Invalid JSON and plain text stay as is."""
    found: list[Any] = []
    cleaned: list[str] = []
    done = 0
    for start, stop, value in _objects(content):
        taken = list(_take(value))
        if taken:
            found += taken
            cleaned.append(content[done:start])
            cleaned.append(json.dumps(value, ensure_ascii=False, indent=_indent(content[start:stop])))
            done = stop
    predicate = json.dumps(found[0], ensure_ascii=False) if found and found[0] else None
    return Extraction(predicate, "".join(cleaned) + content[done:])


def predicates_in(content: str) -> tuple[int, ...]:
    """Where the JSON objects begin that hold a `query_must`, a place for each of these: one of several rows each.

    A content that is read whole cannot ask several: the first would decide for the rows of all others.
    """
    return tuple(start for start, _, value in _objects(content) for taken in _take(value) if taken)


def _objects(content: str) -> Iterator[tuple[int, int, Any]]:
    """Begin, end and value of every outermost JSON object; nothing where no `query_must` is written anywhere."""
    start = content.find("{") if f'"{_KEY}"' in content else -1
    while start >= 0:
        try:
            value, stop = _DECODER.raw_decode(content, start)
        except (ValueError, RecursionError):
            start = content.find("{", start + 1)
            continue
        yield start, stop, value
        start = content.find("{", stop)


def _take(value: Any) -> Iterator[Any]:
    """Remove every `query_must` from a decoded value; those of outer objects come before those of inner ones."""
    if isinstance(value, dict):
        if _KEY in value:
            yield value.pop(_KEY)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _take(item)


def _indent(source: str) -> int | None:
    """Return the indentation of an object's first member, or None if it is on one line."""
    _, newline, rest = source.partition("\n")
    return len(rest) - len(rest.lstrip(" ")) if newline else None
