"""A book's tables as the rules read them: what a model's answer is compared with, and what is there where it fails."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.ingest.tables.reading import Reading, read_table
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.strictness import StrictTables
from retrieval.ingest.tables.table import Table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row


@dataclass(frozen=True, slots=True)
class OfflineTables:
    """Readings and rows by table id."""

    vocabulary: Vocabulary
    readings: Mapping[str, Reading]
    rows: Mapping[str, tuple[Row, ...]]
    """In the order of the table; `query_must` is still in their content."""
    strict: StrictTables

    @classmethod
    def of(cls, tables: Sequence[Table], vocabulary: Vocabulary, texts: Sequence[str]) -> "OfflineTables":
        """Read all tables of one book; `texts` are those of its documents."""
        readings = {table.id: read_table(table) for table in tables}
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in transform_tables(tables, vocabulary, texts):
            rows[row.table_id].append(row)
        strict = StrictTables.find(tables, list(map(readings.__getitem__, (table.id for table in tables))), vocabulary)
        return cls(vocabulary, readings, {table.id: tuple(rows[table.id]) for table in tables}, strict)
