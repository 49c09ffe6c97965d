"""Rows of a table with the words that a model found for them; their cells and their values are the book's."""

import json
from collections.abc import Sequence
from dataclasses import replace

from retrieval.ingest.model_tables.checking import BelievedRow, Judged
from retrieval.ingest.tables.keyed import why_unkeyed
from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.row_object import RESERVED, Json, to_text
from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.values import parse_range, typed
from retrieval.query_must.canonical.canonical import canonical
from retrieval.query_must.conditional import NAME as NO_RIVAL
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row


def model_rows(
    table: Table, reading: Reading, offline: Sequence[Row], found: Judged, vocabulary: Vocabulary, *, strict: bool
) -> tuple[Row, ...]:
    """The rows of the rules, those that the model was asked about with what is believed of its answer.

    Args:
        table: of the rows.
        reading: of the table.
        offline: every row as the rules make it; `query_must` is still in its content.
        found: the judged answer, without problems.
        vocabulary: of the library.
        strict: whether the rules let the table's rows ask always. If the model has a condition for any of them, those
            that it has none for pass always; if it has none at all, the rules' conditions stay.
    """
    named = [
        replace(row, names=tuple(dict.fromkeys((*row.names, *found.rows[row.ordinal].names))))
        if row.ordinal in found.rows
        else row
        for row in offline
    ]
    names = {row.ordinal: row.names for row in named}
    keyed = not strict and why_unkeyed(reading, names, vocabulary) is None
    conditions = any(row.query_must for row in found.rows.values()) or any(
        each.part == "query_must" for each in found.dropped
    )
    ruled = strict and not conditions
    return tuple(
        _row(table, reading, row, found.rows[row.ordinal], found.paths, vocabulary, keyed=keyed, ruled=ruled)
        if row.ordinal in found.rows
        else row
        for row in named
    )


def _row(
    table: Table,
    reading: Reading,
    row: Row,
    believed: BelievedRow,
    paths: Sequence[tuple[str, ...]],
    vocabulary: Vocabulary,
    *,
    keyed: bool,
    ruled: bool,
) -> Row:
    """The row; a condition that is not the model's own wants the rules' title where the model's does not meet it."""
    before: Json = json.loads(row.content)
    asked = _asked(table, row, before, believed, keyed=keyed, ruled=ruled)
    holds = not asked or satisfies_query_must(canonical(believed.title, vocabulary), json.dumps(asked))
    content: Json = {
        "title": believed.title if holds else before["title"],
        "description": believed.description or before["description"],
    }
    places = dict(zip(reading.axis.columns, reading.axis.places, strict=True)) if reading.axis else {}
    for column, (path, cell) in enumerate(zip(paths, row.cells, strict=True)):
        if cell.strip():
            for place in _spelled(path, places.get(column)):
                _put(content, place, typed(cell))
    if row.notes:
        _put(content, ("notes",), row.notes[0] if len(row.notes) == 1 else list(row.notes))
    if asked:
        content["query_must"] = asked
    return replace(row, content=to_text(content))


def _asked(table: Table, row: Row, before: Json, believed: BelievedRow, *, keyed: bool, ruled: bool) -> Json:
    """The condition: what the book's owner says, or else what the model says, or else that no rival is named."""
    if ruled or (table.rule and (table.rule.open or table.rule.predicate_of(row.key))):
        own = before.get("query_must")
        return own if isinstance(own, dict) else {}
    if believed.query_must:
        asked: Json = json.loads(believed.query_must)
        return asked
    return {NO_RIVAL: {"table": table.id, "row": row.ordinal}} if keyed else {}


def _spelled(path: tuple[str, ...], place: str | None) -> tuple[tuple[str, ...], ...]:
    """The path; of a column that is a range of the second axis one for each of its numbers, under its group."""
    spread = parse_range(place) if place is not None else None
    if spread is None or len(spread.values) < 2 or len(path) < 2:
        return (path,)
    return tuple((*path[:-1], str(value)) for value in spread.values)


def _put(content: Json, path: Sequence[str], value: object) -> None:
    """Set a value under nested names; what a name is taken for already stays, and the new one gets a number."""
    inner: dict[str, object] = content  # type: ignore[assignment]
    *groups, last = (f"{name} value" if at == 0 and name in RESERVED else name for at, name in enumerate(path))
    for name in groups:
        nested = inner.setdefault(name, {})
        while not isinstance(nested, dict):
            name = f"{name} group"  # noqa: PLW2901
            nested = inner.setdefault(name, {})
        inner = nested
    free, count = last, 1
    while free in inner:
        count += 1
        free = f"{last} ({count})"
    inner[free] = value
