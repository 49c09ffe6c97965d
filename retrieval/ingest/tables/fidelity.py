"""Nothing of a table is lost and nothing doubled: every source cell is in exactly one row."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.table import Table
from retrieval.types import Row


@dataclass(frozen=True, slots=True)
class Violation:
    """A source row whose cells are not those of exactly one row object."""

    table_id: str
    document: str
    line: int
    reason: str


def check_fidelity(tables: Sequence[Table], rows: Sequence[Row]) -> tuple[Violation, ...]:
    """Compare the cells of every source row with the row made of it; a heading row is in the columns instead."""
    by_table: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_table[row.table_id].append(row)
    return tuple(violation for table in tables for violation in _check(table, by_table[table.id]))


def _check(table: Table, rows: Sequence[Row]) -> list[Violation]:
    if any(row.kind == "record" for row in rows):
        pairs = [table.header, *(row.cells for row in table.rows)]
        wanted = _cells(cell.rstrip(": ") if not i else cell for pair in pairs for i, cell in enumerate(pair))
        made = _cells(cell for row in rows for cell in (*row.columns, *row.cells))
        return (
            [] if wanted == made else [Violation(table.id, table.document, table.lines[0], _difference(wanted, made))]
        )
    headings = {row.ordinal for row in read_table(table).rows if row.role == "heading"}
    made_of: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        made_of[row.ordinal].append(row)
    violations = []
    for ordinal, source in enumerate(table.rows):
        if ordinal in headings or not any(source.cells):
            continue
        wanted = _cells(source.cells)
        made = _cells(cell for row in made_of[ordinal] for cell in row.cells)
        if wanted != made:
            violations.append(Violation(table.id, table.document, source.line, _difference(wanted, made)))
    return violations


def _cells(cells: Iterable[str]) -> Counter[str]:
    return Counter(cell for cell in cells if cell)


def _difference(wanted: Counter[str], made: Counter[str]) -> str:
    missing, extra = wanted - made, made - wanted
    parts = [f"missing {list(missing)[:3]}" if missing else "", f"not in the source {list(extra)[:3]}" if extra else ""]
    return "; ".join(part for part in parts if part)
