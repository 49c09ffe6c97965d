"""One table row as a self-describing JSON object."""

import json
import re
from collections.abc import Iterable, Sequence

from retrieval.ingest.tables.column_names import ColumnNames
from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.reading import Axis, Reading
from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.values import is_numeric, parse_range, typed

Json = dict[str, "JsonValue"]
JsonValue = str | int | float | bool | None | list["JsonValue"] | Json

RESERVED = ("title", "description", "query_must")
MAX_LABEL_WORDS = 5
"""A longer heading is a sentence: nobody says it before a number."""

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_WORD = re.compile(r"[^\W\d_]{3}")
_ROMAN = re.compile(r"[IVX]+")
_ANY_WORD = re.compile(r"\w+")


def subject(table: Table) -> str:
    """What the table is about: its title, or the nearest heading, or its document."""
    return table.title or (table.heading_path[-1] if table.heading_path else table.document)


def row_key(reading: Reading, row: ReadRow) -> str:
    """The cell that picks a row: of a label or a note its one cell; a blank key leaves it to the next cell."""
    key = row.cells[reading.key_column] if row.role == "data" else ""
    return key or next(cell for cell in (*row.cells[reading.key_column :], *row.cells) if cell)


def called(column: str, key: str) -> str:
    """What a person calls the row under a key: `Armor Class 6` for `6`, but `Longsword` and `Level 3` as they are.

    Args:
        column: the key's heading, written out.
        key: the cell that picks the row.
    """
    key = key.rstrip(": ")
    label = _BRACKETS.sub("", column).strip()
    if not _is_bare(key) or _says_nothing(column) or not label or len(label.split()) > MAX_LABEL_WORDS:
        return key
    # `Level 3` and `3rd level` say their label, `Lvl` or `Level` above them.
    return key if label.split()[-1].casefold() in key.casefold() else f"{label} {key}"


def _is_bare(key: str) -> bool:
    """A number, a range or a code: words say themselves what they are."""
    code = any(map(str.isdigit, key)) and not _WORD.search(key)
    return code or is_numeric(key) or parse_range(key) is not None or bool(_ROMAN.fullmatch(key))


def _says_nothing(column: str) -> bool:
    return column == "entry" or column.startswith("column ")


def grid_object(table: Table, reading: Reading, row: ReadRow, name: str, columns: ColumnNames) -> Json:
    """Title, description and the row's values: numbers as numbers, range headings expanded, pairs kept together.

    Args:
        table: the row's.
        reading: of the table.
        row: the row.
        name: what the row is called.
        columns: writes the headings out.
    """
    values: Json
    names = columns.all_written_out(row.columns)
    if row.columns == reading.columns and reading.period < len(reading.columns):
        names = columns.all_written_out(row.columns[: reading.period])
        values = {"entries": list(_entries(names, row.cells))}
    elif row.columns == reading.columns and reading.axis:
        values = _with_axis(names, row.cells, reading.axis, columns.written_out(reading.axis.name))
    else:
        values = _pairs(zip(names, row.cells, strict=True))
    title = f"{subject(table)} - {name}" if name else subject(table)
    notes = table.rows[row.ordinal].notes
    return {"title": title, "description": _description(table, row.label)} | values | _with_notes(values, notes)


def record_object(table: Table, pairs: Sequence[tuple[str, str]], notes: Sequence[str], columns: ColumnNames) -> Json:
    """A key/value block as one object: the pair in its heading line comes first."""
    named = list(map(name_first, pairs))
    names = columns.all_written_out([name for name, _ in named])
    values = _pairs(zip(names, (cell for _, cell in named), strict=True))
    return {"title": subject(table), "description": _description(table)} | values | _with_notes(values, notes)


def _description(table: Table, label: str | None = None) -> str:
    """What the table is for, if the prose above it says so, the label of the row, and what the table is part of.

    That is the nearest heading that says a word which the title does not: a row's text is short, and its chunk has
    the whole path.
    """
    title = _words(subject(table))
    above = next((heading for heading in reversed(table.heading_path) if _words(heading) - title), table.document)
    said = [table.purpose, f"Under {label}" if label else "", f"From {above}"]
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in said if part)


def _words(text: str) -> set[str]:
    return set(_ANY_WORD.findall(text.casefold()))


def name_first(pair: tuple[str, str]) -> tuple[str, str]:
    """A line of a record as name and value; one that fills its first cell alone is words without a name."""
    return pair if pair[1].strip() else ("", pair[0])


def to_text(content: Json) -> str:
    """JSON as it is stored and shown: readable, one spelling, non-ASCII letters kept."""
    return json.dumps(content, ensure_ascii=False, indent=1)


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


def _entries(names: Sequence[str], cells: Sequence[str]) -> Iterable[Json]:
    for start in range(0, len(cells), len(names)):
        entry = _pairs(zip(names, cells[start : start + len(names)], strict=True))
        if entry:
            yield entry


def _with_axis(columns: Sequence[str], cells: Sequence[str], axis: Axis, name: str) -> Json:
    on_axis = dict(zip(axis.columns, axis.places, strict=True))
    name = name or "by column"
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
