"""What `tables.toml` says, given to the tables that it is about; and what of it is about no table, column or row."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from retrieval.errors import LibraryError
from retrieval.ingest.library.table_rules import TABLES_FILE
from retrieval.ingest.tables.reading import Reading, read_table
from retrieval.ingest.tables.row_object import row_key
from retrieval.ingest.tables.source.source_tables import PlacedTable
from retrieval.ingest.tables.table import Table
from retrieval.query_must.canonical.canonical import canonical_term
from retrieval.query_must.rivals.speech import Speech
from retrieval.query_must.rivals.tables import words_of
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.table_rule import EVERY, Find, TableRule, normal

_SHOWN = 5


def ruled(placed: Sequence[PlacedTable], rules: Sequence[TableRule]) -> tuple[PlacedTable, ...]:
    """The same tables, each with the entry that is about it, and with the caption that the entry gives.

    Raises:
        LibraryError: two entries are about one table.
    """
    return tuple(replace(each, table=_ruled(each.table, rules)) for each in placed) if rules else tuple(placed)


def _ruled(table: Table, rules: Sequence[TableRule]) -> Table:
    said = _found_by(table)
    found = [rule for rule in rules if rule.find.holds(said)]
    if len(found) > 1:
        raise LibraryError(
            f"{TABLES_FILE} of book {table.book!r}: {found[0]} and {found[1]} are both about the table at "
            f"{_place(table)}; write them as one, or let one of them find less"
        )
    if not found or found[0].caption is None:
        return replace(table, rule=found[0]) if found else table
    # What the book calls the table still is said of it.
    about = " ".join(filter(None, (table.caption, table.about)))
    return replace(table, rule=found[0], caption=found[0].caption, introduced=False, about=about)


def unmet(rules: Sequence[TableRule], tables: Sequence[Table], vocabulary: Vocabulary) -> tuple[str, ...]:
    """A sentence for all that the entries say of a table, a column or a row that the book does not have.

    Args:
        rules: the entries of the book's file.
        tables: of the book, each with the entry that is about it.
        vocabulary: of the library; it knows which words name nothing.
    """
    return tuple(
        f"{TABLES_FILE}: {rule} {said}"
        for rule in rules
        for said in _unmet(rule, [table for table in tables if table.rule == rule], tables, vocabulary)
    )


def _unmet(rule: TableRule, mine: Sequence[Table], tables: Sequence[Table], vocabulary: Vocabulary) -> Iterator[str]:
    if not mine:
        yield f"finds no table{_nearest_table(rule, tables)}"
        return
    readings = [(table, read_table(table)) for table in mine]
    for table, reading in readings:
        if rule.key is not None and rule.key_column(reading.columns) is None:
            yield f"finds no column {rule.key!r} in the table at {_place(table)}; it has {', '.join(reading.columns)}"
    keys = {normal(key): key for table, reading in readings for key in _keys(table, reading)}
    for key in (*rule.names, *rule.row_query_must):
        if key != EVERY and normal(key) not in keys:
            yield f"finds no row {key!r} in the table at {_place(mine[0])}{_nearest(key, list(keys.values()))}"
    yield from _idle_names(rule, readings, vocabulary)


def _idle_names(rule: TableRule, readings: Sequence[tuple[Table, Reading]], vocabulary: Vocabulary) -> Iterator[str]:
    """Names that no question can name a row by."""
    speech = Speech.of(vocabulary)
    heads = [
        words_of((*table.heading_path, table.caption or "", *rule.subject, *reading.columns), vocabulary)
        for table, reading in readings
        if reading.kind == "grid"
    ]
    for key, name in ((key, name) for key, names in rule.names.items() if key != EVERY for name in names):
        run = canonical_term(name, vocabulary).split()
        if not speech.is_name(run):
            yield f"calls the row {key!r} {name!r}, and a letter, a number or a word that compares names nothing"
        elif heads and all(map(set(run).issubset, heads)):
            yield f"calls the row {key!r} {name!r}, and the headings, caption and columns say this of every row"


def _keys(table: Table, reading: Reading) -> Iterator[str]:
    if reading.kind == "record":
        yield table.title or (table.heading_path[-1] if table.heading_path else "")
        return
    yield from (row_key(reading, row) for row in reading.rows if row.role == "data" and any(row.cells))


def _nearest_table(rule: TableRule, tables: Sequence[Table]) -> str:
    """The nearest that there is to the first of what finds a table which no table has."""
    said = [_found_by(table) for table in tables]
    for name, wanted in rule.find.given.items():
        if not any(Find(**{name: wanted}).holds(table) for table in said):
            return _nearest(wanted, [table.given[name] for table in said])
    return "; each part of it finds one, all of it none"


def _found_by(table: Table) -> Find:
    """What finds just this table and those that are called the same."""
    heading = table.heading_path[-1] if table.heading_path else ""
    return Find(heading, table.caption or "", table.header[0], table.document)


def _nearest(wanted: str, there: Sequence[str]) -> str:
    by_normal = {normal(text): text for text in there if text}
    near = get_close_matches(normal(wanted), by_normal, n=_SHOWN, cutoff=0.5)
    some = [by_normal[text] for text in near] or list(by_normal.values())[:_SHOWN]
    return f"; there {'is' if len(some) == 1 else 'are'} {', '.join(map(repr, some))}" if some else ""


def _place(table: Table) -> str:
    return f"{table.document}:{table.lines[0]}"
