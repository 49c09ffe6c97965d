"""The wording of one look-up: how its row is named, and what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.generation.asked_tables import AskedTable, Named, key_column
from evals.generation.asking import asked_as
from evals.generation.phrasing import Phrasing
from evals.generation.spoken import column_forms, column_name
from evals.generation.table_names import TableName
from evals.generation.templates import (
    ABOUT,
    ABOUT_ALONE,
    BY_OTHER,
    BY_OTHER_ALONE,
    FIELD_LOOKUPS,
    LOOKUPS,
    RECORD_LOOKUPS,
    ROW,
    WHICH,
    WHICH_ALONE,
)
from evals.questions.chunk_places import folded
from retrieval.types import Chunk

_BY_OTHER = 0.3
"""Share of the look-ups that name their row by another cell than its key, where there is one."""
_SILENT = 0.5
"""Share of the look-ups by key that do not say the name of their column, if people ask for such a column without."""
_ROW_ALONE = 0.2
"""Share of those that do not even ask for it, where people do not."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A question about one row."""

    query: str
    answer: str
    keys: dict[str, str]
    """The cells that name the row, by column."""


@dataclass(frozen=True, slots=True)
class _Row:
    """How a row is named."""

    said: str
    keys: dict[str, str]
    written: tuple[str, ...]
    """The words of the book for it."""
    by_number: bool
    """Whether it is named by a number, which the book need not write."""


def lookup(row: Chunk, table: AskedTable, name: TableName, phrasing: Phrasing) -> Lookup:
    """Ask for one cell of a row of `AskedTable.distinct`; `name` is what its table is called."""
    others = table.others(row)
    if others and (not table.by_key(row) or phrasing.random.random() < _BY_OTHER):
        return _by_other(row, table, phrasing.random.choice(others), name, phrasing)
    column, answer = phrasing.random.choice(table.columns(row))
    key = _key(row, table, phrasing)
    if table.of_fields:
        # with one column of values its heading is a value itself, and says nothing
        subject = phrasing.random.choice(name.ways)
        owner = subject if len(row.cells) == 2 else f"{phrasing.column(column)} ({subject})"
        field = phrasing.column(row.row_key or "")
        return Lookup(phrasing.template(FIELD_LOOKUPS, field=field, owner=owner), answer, key.keys)
    return Lookup(_by_key(row, key, column, name, phrasing), answer, key.keys)


def _by_key(row: Chunk, key: _Row, column: str, name: TableName, phrasing: Phrasing) -> str:
    """The question for a column of a row that its key names; it may say the column, or ask for it without a name."""
    chance, asks = phrasing.random.random(), asked_as(column)
    silent = chance < _SILENT and (bool(asks) or chance < _SILENT * _ROW_ALONE)
    subject = "" if row.kind == "record" else _subject(row, key, [] if silent else [column], name, phrasing)
    if silent and asks:
        question = phrasing.random.choice(asks).format(key=key.said)
        return _filled(ABOUT, ABOUT_ALONE, {"question": question}, subject, phrasing)
    if silent and subject:
        return phrasing.template(ROW, key=key.said, subject=subject)
    words = {"column": phrasing.column(column), "key": key.said}
    return _filled(LOOKUPS, RECORD_LOOKUPS, words, subject, phrasing)


def _by_other(row: Chunk, table: AskedTable, other: Named, name: TableName, phrasing: Phrasing) -> Lookup:
    named = _other(row, other, phrasing)
    asked = [(column, answer) for column, answer in table.columns(row) if column != other[0]]
    kind = column_forms(column_name(key_column(row)))[0]
    if table.needs_key_with(row, other):
        column, answer = phrasing.random.choice(asked or [(other[0], named.keys[folded(other[0])])])
        key = _Row(
            f"{phrasing.name(row.row_key or '')}, {named.said}",
            {**named.keys, folded(key_column(row)) or "name": row.row_key or ""},
            (*named.written, row.row_key or ""),
            named.by_number,
        )
        words = {"column": phrasing.column(column), "key": key.said}
        subject = _subject(row, key, [column], name, phrasing)
        return Lookup(_filled(LOOKUPS, RECORD_LOOKUPS, words, subject, phrasing), answer, key.keys)
    if not asked or (kind and row.row_key and phrasing.random.random() < 0.5):
        words = {"name": kind or "one", "other": named.said}
        subject = _subject(row, named, [key_column(row)], name, phrasing)
        query = _filled(WHICH, WHICH_ALONE, words, subject, phrasing)
        return Lookup(query, row.row_key or named.said, named.keys)
    column, answer = phrasing.random.choice(asked)
    words = {"column": phrasing.column(column), "name": kind or "one", "other": named.said}
    subject = _subject(row, named, [column], name, phrasing)
    return Lookup(_filled(BY_OTHER, BY_OTHER_ALONE, words, subject, phrasing), answer, named.keys)


def _key(row: Chunk, table: AskedTable, phrasing: Phrasing) -> _Row:
    numbers, name, key = table.numbers(row), folded(key_column(row)) or "name", row.row_key or ""
    if numbers:
        number = phrasing.random.choice(numbers)
        said = phrasing.number(number, key_column(row))
        return _Row(said, {name: str(number)}, (key_column(row),), by_number=True)
    short = table.short_keys(row)
    said = phrasing.name(key, short)
    # the words of every form are in the shortest one that is said
    return _Row(said, {name: key}, (said if said in short else key,), by_number=not any(map(str.isalpha, key)))


def _other(row: Chunk, other: Named, phrasing: Phrasing) -> _Row:
    column, ways = other
    cell = phrasing.random.choice(ways)
    return _Row(
        phrasing.with_cell(column, cell),
        {folded(column): cell},
        (column, cell) if cell in row.cells else (column,),
        by_number=cell not in row.cells,
    )


def _subject(row: Chunk, named: _Row, columns: Sequence[str], name: TableName, phrasing: Phrasing) -> str:
    return name.say(phrasing, [*named.written, *columns], None if named.by_number else row.id)


def _filled(
    templates: Sequence[str], alone: Sequence[str], words: dict[str, str], subject: str, phrasing: Phrasing
) -> str:
    if subject:
        return phrasing.template(templates, subject=subject, **words)
    return phrasing.template(alone, **words)
