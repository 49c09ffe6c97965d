"""The owner's rules for the tables of a book (`tables.toml`): applied to its tables, and checked for mistakes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from retrieval.ingest.library.table_rules import TABLES_FILE
from retrieval.ingest.tables.reading import TableMeaning, read_table
from retrieval.ingest.tables.row_object import row_key
from retrieval.ingest.tables.source_tables import PlacedTable
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import canonical_term
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.sibling_mentions import Speech
from retrieval.query_must.siblings import words_of
from retrieval.types import EVERY, Find, TableRule, normal

_SHOWN = 5
"""The most names that a complaint lists."""


def apply_rules(placed: Sequence[PlacedTable], rules: Sequence[TableRule]) -> tuple[PlacedTable, ...]:
    """Return the tables, each with its entry in `tables.toml` and the caption that the entry gives.

    If two entries are about one table, neither is applied, and `unmet_rules` reports it.
    """
    if not rules:
        return tuple(placed)
    return tuple(replace(placed_table, table=_with_rule(placed_table.table, rules)) for placed_table in placed)


def _with_rule(table: Table, rules: Sequence[TableRule]) -> Table:
    entries = _about(table, rules)
    if len(entries) != 1 or entries[0].caption is None:
        return replace(table, rule=entries[0]) if len(entries) == 1 else table
    # The book's own caption is kept in `about`.
    about = " ".join(filter(None, (table.caption, table.about)))
    return replace(table, rule=entries[0], caption=entries[0].caption, introduced=False, about=about)


def _about(table: Table, rules: Sequence[TableRule]) -> list[TableRule]:
    own = _found_by(table)
    return [rule for rule in rules if rule.find.holds(own)]


def unmet_rules(rules: Sequence[TableRule], tables: Sequence[Table], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return a sentence for each table, column or row in the entries that the book does not have, for each name that
    cannot be used, and for entries about the same table.

    Args:
        rules: the entries of the book's file.
        tables: of the book, each with its entry.
        vocabulary: of the library, which defines the words that cannot be names.
    """
    shared = [(table, entries) for table in tables if table.rule is None and len(entries := _about(table, rules)) > 1]
    not_applied = {rule.entry for _, entries in shared for rule in entries}
    contradictions = (
        f"{' and '.join(map(str, entries))} apply to the same table, at {_place(table)}, so none of them is "
        "applied; merge them, or make each find less"
        for table, entries in shared
    )
    sentences = (
        f"{rule} {complaint}"
        for rule in rules
        if (mine := [table for table in tables if table.rule == rule]) or rule.entry not in not_applied
        for complaint in _complaints(rule, mine, tables, vocabulary)
    )
    return tuple(f"{TABLES_FILE}: {sentence}" for sentence in (*contradictions, *sentences))


def _complaints(
    rule: TableRule, mine: Sequence[Table], tables: Sequence[Table], vocabulary: Vocabulary
) -> Iterator[str]:
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


def _idle_names(
    rule: TableRule, readings: Sequence[tuple[Table, TableMeaning]], vocabulary: Vocabulary
) -> Iterator[str]:
    """Yield complaints about names by which no question can name a row."""
    speech = Speech.of(vocabulary)
    heads = [
        words_of((*table.heading_path, table.caption or "", *rule.subject, *reading.columns), vocabulary)
        for table, reading in readings
        if reading.kind == "grid"
    ]
    for key, name in ((key, name) for key, names in rule.names.items() if key != EVERY for name in names):
        run = canonical_term(name, vocabulary).split()
        if not speech.is_name(run):
            yield f"calls the row {key!r} {name!r}, but a letter, a number or a comparing word is not a name"
        elif heads and all(map(set(run).issubset, heads)):
            yield f"calls the row {key!r} {name!r}, but the headings, caption and columns say this about every row"


def _keys(table: Table, reading: TableMeaning) -> Iterator[str]:
    if reading.kind == "record":
        yield table.title or (table.heading_path[-1] if table.heading_path else "")
        return
    yield from (row_key(reading, row) for row in reading.rows if row.role == "data" and any(row.cells))


def _nearest_table(rule: TableRule, tables: Sequence[Table]) -> str:
    """Return the closest matches in the book for the first part of `find` that no table meets."""
    finds = [_found_by(table) for table in tables]
    for name, wanted in rule.find.given.items():
        if not any(Find(**{name: wanted}).holds(table) for table in finds):
            return _nearest(wanted, [table.given[name] for table in finds])
    return "; each part of it finds one, but all parts together find none"


def _found_by(table: Table) -> Find:
    """Return the `find` that matches this table and those with the same names."""
    heading = table.heading_path[-1] if table.heading_path else ""
    return Find(heading, table.caption or "", table.header[0], table.document)


def _nearest(wanted: str, there: Sequence[str]) -> str:
    by_normal = {normal(text): text for text in there if text}
    near = get_close_matches(normal(wanted), by_normal, n=_SHOWN, cutoff=0.5)
    some = [by_normal[text] for text in near] or list(by_normal.values())[:_SHOWN]
    return f"; there {'is' if len(some) == 1 else 'are'} {', '.join(map(repr, some))}" if some else ""


def _place(table: Table) -> str:
    return f"{table.document}:{table.lines[0]}"
