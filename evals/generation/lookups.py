"""The wording of one look-up: how its row is named, and what is asked for."""

from dataclasses import dataclass

from evals.generation.asked_tables import AskedTable, Named, key_column
from evals.generation.phrasing import Phrasing
from evals.generation.spoken import column_forms, column_name
from evals.generation.templates import BY_OTHER, FIELD_LOOKUPS, LOOKUPS, RECORD_LOOKUPS, WHICH
from evals.questions.chunk_places import folded
from retrieval.types import Chunk

_BY_OTHER = 0.3
"""Share of the look-ups that name their row by another cell than its key, where there is one."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A question about one row."""

    query: str
    answer: str
    keys: dict[str, str]
    """The cells that name the row, by column."""


def lookup(row: Chunk, table: AskedTable, subject: str, phrasing: Phrasing) -> Lookup:
    """Ask for one cell of a row of `AskedTable.distinct`; `subject` is what its table is called."""
    others = table.others(row)
    if others and (not table.by_key(row) or phrasing.random.random() < _BY_OTHER):
        return _by_other(row, table, phrasing.random.choice(others), subject, phrasing)
    column, answer = phrasing.random.choice(table.columns(row))
    said, keys = _key(row, table, phrasing)
    if table.of_fields:
        # with one column of values its heading is a value itself, and says nothing
        owner = subject if len(row.cells) == 2 else f"{phrasing.column(column)} ({subject})"
        return Lookup(
            phrasing.template(FIELD_LOOKUPS, field=phrasing.column(row.row_key or ""), owner=owner), answer, keys
        )
    words = {"column": phrasing.column(column), "key": said, "subject": subject}
    return Lookup(phrasing.template(RECORD_LOOKUPS if row.kind == "record" else LOOKUPS, **words), answer, keys)


def _key(row: Chunk, table: AskedTable, phrasing: Phrasing) -> tuple[str, dict[str, str]]:
    """How the key is said, and the key by its column."""
    numbers, name = table.numbers(row), folded(key_column(row)) or "name"
    if numbers:
        number = phrasing.random.choice(numbers)
        return phrasing.number(number, key_column(row)), {name: str(number)}
    return phrasing.name(row.row_key or "", table.short_keys(row)), {name: row.row_key or ""}


def _by_other(row: Chunk, table: AskedTable, other: Named, subject: str, phrasing: Phrasing) -> Lookup:
    named, ways = other
    cell = phrasing.random.choice(ways)
    said, keys = phrasing.with_cell(named, cell), {folded(named): cell}
    asked = [(name, answer) for name, answer in table.columns(row) if name != named]
    kind = column_forms(column_name(key_column(row)))[0]
    if table.needs_key_with(row, other):
        key = phrasing.name(row.row_key or "")
        keys |= {folded(key_column(row)) or "name": row.row_key or ""}
        column, answer = phrasing.random.choice(asked or [(named, cell)])
        words = {"column": phrasing.column(column), "key": f"{key}, {said}", "subject": subject}
        return Lookup(phrasing.template(LOOKUPS, **words), answer, keys)
    if kind and row.row_key and (not asked or phrasing.random.random() < 0.5):
        return Lookup(phrasing.template(WHICH, name=kind, other=said, subject=subject), row.row_key, keys)
    column, answer = phrasing.random.choice(asked or [(named, cell)])
    words = {"column": phrasing.column(column), "name": kind or "one", "other": said, "subject": subject}
    return Lookup(phrasing.template(BY_OTHER, **words), answer, keys)
