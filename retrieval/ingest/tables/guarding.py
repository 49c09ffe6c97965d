"""Which tables of a book are guarded, and why the others are not: kept with its rows, so that nobody reads it again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.ingest.tables.keyed import Unkeyed, why_unkeyed
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.table import Table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row


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
    reason: Unkeyed | None
    """Why no row has one; None where one has."""


@dataclass(frozen=True, slots=True)
class GuardCounts:
    """How many tables are guarded."""

    n_tables: int
    n_guarded: int
    """Tables of which a row carries a predicate."""
    reasons: Mapping[str, int]
    """How many of the others are not guarded for each reason; the most frequent first."""


def table_guards(tables: Sequence[Table], rows: Iterable[Row], vocabulary: Vocabulary) -> tuple[TableGuard, ...]:
    """The verdict on every table of a book, in the order of the tables.

    Args:
        tables: of the book.
        rows: all rows of these tables, predicates extracted.
        vocabulary: the one that the rows were made with.
    """
    rows_of: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_of[row.table_id].append(row)
    return tuple(_guard(table, rows_of[table.id], vocabulary) for table in tables)


def count_guards(guards: Iterable[TableGuard]) -> GuardCounts:
    """Count the verdicts on some tables."""
    counts = Counter(guard.reason for guard in guards)
    n_guarded = counts.pop(None, 0)
    return GuardCounts(n_guarded + counts.total(), n_guarded, _by_number({str(why): n for why, n in counts.items()}))


def added_up(several: Iterable[GuardCounts]) -> GuardCounts:
    """The counts of several books as those of one library."""
    found = tuple(several)
    reasons = Counter[str]()
    for each in found:
        reasons.update(each.reasons)
    n_tables, n_guarded = (sum(numbers) for numbers in zip(*((c.n_tables, c.n_guarded) for c in found), strict=True))
    return GuardCounts(n_tables, n_guarded, _by_number(reasons))


def _by_number(counts: Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _guard(table: Table, rows: Sequence[Row], vocabulary: Vocabulary) -> TableGuard:
    n_guarded = sum(row.query_must is not None for row in rows)
    names = {row.ordinal: row.names for row in rows}
    return TableGuard(
        table_id=table.id,
        book=table.book,
        document=table.document,
        line=table.lines[0],
        heading=table.heading_path[-1] if table.heading_path else "",
        caption=table.caption or "",
        n_rows=len(rows),
        n_guarded=n_guarded,
        reason=None if n_guarded else why_unkeyed(read_table(table), names, vocabulary),
    )
