"""What must hold between the records of one book; each function returns the contradictions, as sentences."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from retrieval.ingest.fidelity import check_fidelity
from retrieval.ingest.values import is_numeric
from retrieval.query_must.lint import Finding, LintItem, lint
from retrieval.types import Book, Chunk, Row, Table

_RowContent = tuple[str | None, str | None, tuple[str, ...]]
"""Table, key and cells."""


def documents_without_text(book: Book) -> tuple[str, ...]:
    """Documents that hold nothing to find."""
    return tuple(f"{book.slug}/{document.path} is empty" for document in book.documents if not document.text.strip())


def cells_outside_rows(tables: Sequence[Table], rows: Sequence[Row]) -> tuple[str, ...]:
    """Source rows whose cells are not those of exactly one row object."""
    return tuple(
        f"{violation.document}:{violation.line}: {violation.reason}" for violation in check_fidelity(tables, rows)
    )


def rows_outside_chunks(rows: Iterable[Row], chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """Rows whose cells are not those of exactly one chunk, and chunks whose cells are no row's.

    With `cells_outside_rows` this is the promise that every source cell is in exactly one chunk.
    """
    wanted: Counter[_RowContent] = Counter((row.table_id, row.key, row.cells) for row in rows)
    made: Counter[_RowContent] = Counter(
        (chunk.table_id, chunk.row_key, chunk.cells) for chunk in chunks if chunk.kind != "prose"
    )
    lost = [f"row {key!r} {cells[:3]} of table {table} is in no chunk" for table, key, cells in (wanted - made)]
    extra = [f"a chunk for {key!r} {cells[:3]} of table {table} is no row's" for table, key, cells in (made - wanted)]
    return tuple(lost + extra)


def repeated_ids(chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """Chunk ids that more than one chunk has."""
    counts = Counter(chunk.id for chunk in chunks)
    return tuple(f"chunk id {chunk_id} is used {count} times" for chunk_id, count in counts.items() if count > 1)


def predicate_findings(rows: Sequence[Row]) -> tuple[Finding, ...]:
    """Everything that is wrong with the predicates of these rows; a finding's id is the title of its row."""
    columns = _numeric_columns(rows)
    return lint(
        [
            LintItem(
                id=f"{_title(row)} [{row.table_id}:{row.ordinal}]",
                title=_title(row),
                table_id=row.table_id,
                query_must=row.query_must,
                numeric_columns=columns[row.table_id],
            )
            for row in rows
        ]
    )


def _title(row: Row) -> str:
    return str(json.loads(row.content).get("title", row.key))


def _numeric_columns(rows: Iterable[Row]) -> dict[str, int]:
    """By table, how many columns hold nothing but numbers."""
    cells: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for place, cell in enumerate(row.cells):
            if cell:
                cells[row.table_id][place].append(cell)
    numbers = {
        table: sum(all(map(is_numeric, column)) for column in places.values()) for table, places in cells.items()
    }
    return defaultdict(int, numbers)
