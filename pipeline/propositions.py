"""What must hold between the records of one book; each function returns the contradictions, as sentences."""

from collections import Counter
from collections.abc import Iterable, Sequence

from retrieval.ingest.fidelity import check_fidelity
from retrieval.types import Book, Chunk, Row, Table


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
    wanted = Counter((row.table_id, row.key, row.cells) for row in rows)
    made = Counter((chunk.table_id, chunk.row_key, chunk.cells) for chunk in chunks if chunk.kind != "prose")
    lost = [f"row {key!r} {cells[:3]} of table {table} is in no chunk" for table, key, cells in (wanted - made)]
    extra = [f"a chunk for {key!r} {cells[:3]} of table {table} is no row's" for table, key, cells in (made - wanted)]
    return tuple(lost + extra)


def repeated_ids(chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """Chunk ids that more than one chunk has."""
    counts = Counter(chunk.id for chunk in chunks)
    return tuple(f"chunk id {chunk_id} is used {count} times" for chunk_id, count in counts.items() if count > 1)
