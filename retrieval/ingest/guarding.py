"""The guarded tables of a book and the reasons why others are not guarded, with the owner's rules applied."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Literal, get_args

from retrieval.ingest.library.table_rules import TABLES_FILE
from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.reading import TableMeaning, Unkeyed, read_table, why_unkeyed
from retrieval.ingest.tables.row_object import row_key
from retrieval.ingest.tables.source_tables import PlacedTable
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import canonical_term
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.sibling_mentions import Speech
from retrieval.query_must.siblings import words_of
from retrieval.types import EVERY, Find, Row, TableRule, normal

Reason = Unkeyed | Literal["open"]
"""Why a table is not guarded: none of its rows can be, or the book's owner left it open."""
REASONS: tuple[Reason, ...] = (*get_args(Unkeyed), "open")


@dataclass(frozen=True, slots=True)
class TableGuard:
    """Whether the rows of one table carry a predicate. Key: table_id."""

    table_id: str
    book: str
    document: str
    line: int
    """1-based, in the file of the document."""
    heading: str
    """The nearest heading above it."""
    caption: str
    """The table's caption; empty without one."""
    n_rows: int
    n_guarded: int
    """Rows with a predicate."""
    guardable: bool
    """Whether its rows carry a predicate, or would if the owner had not left it open."""
    reason: Reason | None
    """Why no row has a predicate; None if one has."""


@dataclass(frozen=True, slots=True)
class GuardCounts:
    """The numbers of tables that are guarded, and of those that are not, by reason."""

    n_tables: int
    n_guarded: int
    """Tables with a row that carries a predicate."""
    n_guardable: int
    """Guarded tables, and tables that would be guarded if their owner had not left them open."""
    reasons: Mapping[str, int]
    """The number of unguarded tables for each reason, the most frequent first."""


def table_guards(tables: Sequence[Table], rows: Iterable[Row], vocabulary: Vocabulary) -> tuple[TableGuard, ...]:
    """Return whether each table of a book is guarded, in the order of the tables; tables whose rule fails are omitted.

    Args:
        rows: all rows of these tables, predicates extracted.
        vocabulary: with which the rows were made.
    """
    rows_of: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_of[row.table_id].append(row)
    guards = (
        attempt(
            partial(_guard, table, rows_of[table.id], vocabulary),
            lambda: None,
            "why a table is guarded or not",
            table.document,
            table.lines[0],
        )
        for table in tables
    )
    return tuple(filter(None, guards))


def count_guards(guards: Iterable[TableGuard]) -> GuardCounts:
    """Count the guarded tables, and the reasons of the others."""
    verdicts = tuple(guards)
    reasons = Counter(guard.reason for guard in verdicts if guard.reason is not None)
    n_guardable = sum(guard.guardable for guard in verdicts)
    return GuardCounts(len(verdicts), len(verdicts) - reasons.total(), n_guardable, _by_number(reasons))


def added_up(several: Iterable[GuardCounts]) -> GuardCounts:
    """Return the sum of the counts of several books."""
    per_book = tuple(several)
    reasons = Counter[str]()
    for counts in per_book:
        reasons.update(counts.reasons)
    return GuardCounts(
        n_tables=sum(counts.n_tables for counts in per_book),
        n_guarded=sum(counts.n_guarded for counts in per_book),
        n_guardable=sum(counts.n_guardable for counts in per_book),
        reasons=_by_number(reasons),
    )


def _by_number(counts: Mapping[Reason, int] | Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _guard(table: Table, rows: Sequence[Row], vocabulary: Vocabulary) -> TableGuard:
    n_guarded = sum(row.query_must is not None for row in rows)
    names = {row.ordinal: row.names for row in rows}
    by_rule = n_guarded > 0 and table.rule is None
    unkeyed = None if by_rule else why_unkeyed(read_table(table), names, vocabulary)
    unguarded: Reason | None = "open" if table.rule and table.rule.open else unkeyed
    return TableGuard(
        table_id=table.id,
        book=table.book,
        document=table.document,
        line=table.lines[0],
        heading=table.heading_path[-1] if table.heading_path else "",
        caption=table.caption or "",
        n_rows=len(rows),
        n_guarded=n_guarded,
        guardable=n_guarded > 0 or unkeyed is None,
        reason=None if n_guarded else unguarded,
    )


_SHOWN = 5


def ruled(placed: Sequence[PlacedTable], rules: Sequence[TableRule]) -> tuple[PlacedTable, ...]:
    """Return the tables, each with its entry in `tables.toml` and the caption that the entry gives.

    If two entries are about one table, neither is applied, and `unmet` reports it.
    """
    if not rules:
        return tuple(placed)
    return tuple(replace(placed_table, table=_ruled(placed_table.table, rules)) for placed_table in placed)


def _ruled(table: Table, rules: Sequence[TableRule]) -> Table:
    entries = _about(table, rules)
    if len(entries) != 1 or entries[0].caption is None:
        return replace(table, rule=entries[0]) if len(entries) == 1 else table
    # The book's own caption is kept in `about`.
    about = " ".join(filter(None, (table.caption, table.about)))
    return replace(table, rule=entries[0], caption=entries[0].caption, introduced=False, about=about)


def _about(table: Table, rules: Sequence[TableRule]) -> list[TableRule]:
    own = _found_by(table)
    return [rule for rule in rules if rule.find.holds(own)]


def unmet(rules: Sequence[TableRule], tables: Sequence[Table], vocabulary: Vocabulary) -> tuple[str, ...]:
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
        for complaint in _unmet(rule, mine, tables, vocabulary)
    )
    return tuple(f"{TABLES_FILE}: {sentence}" for sentence in (*contradictions, *sentences))


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
