"""A report of the guarded tables of a book, and of the reasons why others are not guarded.

`ingest/tables/row_predicates.py` makes the predicates.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.reading import Unkeyed, read_table, why_unkeyed
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Row

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
