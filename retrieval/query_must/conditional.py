"""`contain_no_rival` as it is written in a row: which table the row is of, and its number there.

The table itself, which all its rows share, is stored once, beside the predicates.
"""

import json
from dataclasses import dataclass

NAME = "contain_no_rival"


@dataclass(frozen=True, slots=True)
class Membership:
    """A row's place among its rivals. Key: (table, row)."""

    table: str
    row: int


def membership(query_must: str | None) -> Membership | None:
    """The place that a predicate gives; None if it has no valid `contain_no_rival`."""
    value = _decoded(query_must).get(NAME)
    return member(value) if value is not None else None


def member(value: object) -> Membership | None:
    """The place that the operator's value gives; None if it is not valid."""
    if not isinstance(value, dict) or set(value) != {"table", "row"}:
        return None
    table, row = value["table"], value["row"]
    valid = isinstance(table, str) and table and isinstance(row, int) and not isinstance(row, bool) and row >= 0
    return Membership(table, row) if valid else None


def only_conditional(query_must: str | None) -> bool:
    """Whether a predicate asks nothing but that no rival is named: its row passes unless another one is."""
    return set(_decoded(query_must)) == {NAME}


def always_asks(query_must: str | None) -> bool:
    """Whether there is a predicate, and it asks something of every question."""
    return query_must is not None and not only_conditional(query_must)


def _decoded(query_must: str | None) -> dict[str, object]:
    if not query_must or NAME not in query_must:
        return {}
    try:
        value = json.loads(query_must)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
