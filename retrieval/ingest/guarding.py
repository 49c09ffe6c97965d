"""Which tables of a book are guarded, and why the others are not: kept with its rows, so that nobody reads it again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.keyed import Unkeyed, why_unkeyed
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.table import Table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row

Reason = Unkeyed | Literal["open"]
"""Why a table is not guarded: no row of it can be, or the book's owner left it open."""
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
    """The nearest one above it."""
    caption: str
    """Empty without one."""
    n_rows: int
    n_guarded: int
    """Rows with a predicate."""
    guardable: bool
    """Whether its rows carry a predicate, or would if its owner did not leave it open."""
    reason: Reason | None
    """Why no row has one; None where one has."""


@dataclass(frozen=True, slots=True)
class GuardCounts:
    """How many tables are guarded."""

    n_tables: int
    n_guarded: int
    """Tables of which a row carries a predicate."""
    n_guardable: int
    """Those, and the tables that would be guarded if their owner did not leave them open."""
    reasons: Mapping[str, int]
    """How many of the others are not guarded for each reason; the most frequent first."""


def table_guards(tables: Sequence[Table], rows: Iterable[Row], vocabulary: Vocabulary) -> tuple[TableGuard, ...]:
    """The verdict on every table of a book, in the order of the tables; none on one where the rule for it fails.

    Args:
        tables: of the book.
        rows: all rows of these tables, predicates extracted.
        vocabulary: the one that the rows were made with.
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
    """Count the verdicts on some tables."""
    found = tuple(guards)
    reasons = Counter(guard.reason for guard in found if guard.reason is not None)
    n_guardable = sum(guard.guardable for guard in found)
    return GuardCounts(len(found), len(found) - reasons.total(), n_guardable, _by_number(reasons))


def added_up(several: Iterable[GuardCounts]) -> GuardCounts:
    """The counts of several books as those of one library."""
    found = tuple(several)
    reasons = Counter[str]()
    for each in found:
        reasons.update(each.reasons)
    return GuardCounts(
        n_tables=sum(each.n_tables for each in found),
        n_guarded=sum(each.n_guarded for each in found),
        n_guardable=sum(each.n_guardable for each in found),
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
