"""One table row as a self-describing JSON object."""

import json
from collections.abc import Iterable, Sequence

from retrieval.ingest.tables.reading import Axis, Reading, ReadRow
from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.values import parse_range, typed

Json = dict[str, "JsonValue"]
JsonValue = str | int | float | bool | None | list["JsonValue"] | Json

RESERVED = ("title", "description", "query_must")


def subject(table: Table) -> str:
    """What the table is about: its title, or the nearest heading, or its document."""
    return table.title or (table.heading_path[-1] if table.heading_path else table.document)


def row_title(table: Table, column: str, key: str) -> str:
    """`Attack Matrix for Clerics - Opponent Armor Class 6`; the column is left out where it says nothing."""
    if not key:
        return subject(table)
    named = key if _says_nothing(column) or key.casefold().startswith(column.casefold()) else f"{column} {key}"
    return f"{subject(table)} - {named}"


def _says_nothing(column: str) -> bool:
    return column == "entry" or column.startswith("column ")


def grid_object(table: Table, reading: Reading, row: ReadRow, key: str) -> Json:
    """Title, description and the row's values: numbers as numbers, range headings expanded, pairs kept together."""
    column = row.columns[reading.key_column]
    title = row_title(table, column, key)
    described = f"One row of {subject(table)}, from {_path(table)}."
    if row.label:
        described += f" It stands under {row.label}."
    described += _introduction(table)
    values: Json
    if row.columns == reading.columns and reading.period < len(reading.columns):
        values = {"entries": list(_entries(reading, row))}
    elif row.columns == reading.columns and reading.axis:
        values = _with_axis(reading.columns, row.cells, reading.axis)
    else:
        values = _pairs(zip(row.columns, row.cells, strict=True))
    return {"title": title, "description": described} | values | _with_notes(values, table.rows[row.ordinal].notes)


def record_object(table: Table, pairs: Sequence[tuple[str, str]], notes: Sequence[str]) -> Json:
    """A key/value block as one object: the pair in its heading line comes first."""
    described = f"{subject(table)} described point by point, from {_path(table)}.{_introduction(table)}"
    values = _pairs(map(name_first, pairs))
    return {"title": subject(table), "description": described} | values | _with_notes(values, notes)


def name_first(pair: tuple[str, str]) -> tuple[str, str]:
    """A line of a record as name and value; one that fills its first cell alone is words without a name."""
    return pair if pair[1].strip() else ("", pair[0])


def to_text(content: Json) -> str:
    """JSON as it is stored and shown: readable, one spelling, non-ASCII letters kept."""
    return json.dumps(content, ensure_ascii=False, indent=1)


def _introduction(table: Table) -> str:
    words = table.about or (table.caption if table.introduced else "")
    return f" The table is introduced so: {words}" if words else ""


def _path(table: Table) -> str:
    return " > ".join(table.heading_path) or table.document


def _pairs(pairs: Iterable[tuple[str, str]]) -> Json:
    values: Json = {}
    for name, cell in pairs:
        if cell.strip():
            values[_free_key(name.rstrip(": "), values)] = typed(cell)
    return values


def _with_notes(values: Json, notes: Sequence[str]) -> Json:
    several: list[JsonValue] = list(notes)
    return {_free_key("notes", values): notes[0] if len(notes) == 1 else several} if notes else {}


def _free_key(name: str, taken: Json) -> str:
    base = f"{name} value".strip() if name in RESERVED or not name else name
    key, count = base, 1
    while key in taken:
        count += 1
        key = f"{base} ({count})"
    return key


def _entries(reading: Reading, row: ReadRow) -> Iterable[Json]:
    for start in range(0, len(row.cells), reading.period):
        stop = start + reading.period
        entry = _pairs(zip(reading.columns[: reading.period], row.cells[start:stop], strict=True))
        if entry:
            yield entry


def _with_axis(columns: tuple[str, ...], cells: tuple[str, ...], axis: Axis) -> Json:
    on_axis = dict(zip(axis.columns, axis.places, strict=True))
    name = axis.name or "by column"
    values = _pairs((columns[i], cells[i]) for i in range(len(columns)) if i not in on_axis)
    places: Json = {}
    for index, place in on_axis.items():
        if cells[index].strip():
            for step in _steps(place):
                places[_free_key(step, places)] = typed(cells[index])
    return values | {_free_key(name, values): places}


def _steps(place: str) -> Sequence[str]:
    parsed = parse_range(place)
    return tuple(map(str, parsed.values)) if parsed and parsed.values else (place,)
