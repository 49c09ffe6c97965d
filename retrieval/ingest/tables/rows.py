"""Tables in, rows out: each a JSON object that explains itself, with its names and, where it needs one, a predicate."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from retrieval.ingest.tables.column_names import ColumnNames
from retrieval.ingest.tables.document_words import document_words
from retrieval.ingest.tables.glossary import Glossary
from retrieval.ingest.tables.keyed import why_unkeyed
from retrieval.ingest.tables.pointers.referrers import referrers
from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.reading import Reading, read_table
from retrieval.ingest.tables.row_names import names_of_rows, record_names
from retrieval.ingest.tables.row_object import Json, called, grid_object, record_object, row_key, to_text
from retrieval.ingest.tables.strictness import StrictTables
from retrieval.ingest.tables.table import Table
from retrieval.query_must.conditional import NAME as NO_RIVAL
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row


def transform_tables(tables: Sequence[Table], vocabulary: Vocabulary, texts: Iterable[str] = ()) -> tuple[Row, ...]:
    """Every table of one book as rows, by rule and without a model.

    Args:
        tables: all of the book: whether one is strict depends on its twins.
        vocabulary: of the library.
        texts: of the book's documents. A column is written out if they, or the tables, have its long form.
    """
    texts, readings = tuple(texts), [read_table(table) for table in tables]
    strict = StrictTables.find(tables, readings, vocabulary)
    columns = ColumnNames.of((*texts, *map(_words, tables)), vocabulary)
    glossary, pointing = Glossary.of(texts, readings, vocabulary), referrers(tables, readings)
    documents = document_words(tables)
    return tuple(
        replace(row, searched_as=(*pointing.get(table.id, ()), *documents.get(table.id, ())))
        for table, reading in zip(tables, readings, strict=True)
        for row in _rows_of(table, _explained(reading, glossary), strict, columns, glossary)
    )


def _explained(reading: Reading, glossary: Glossary) -> Reading:
    """The same table under headings that say what their short forms mean."""
    if reading.kind == "record":
        return reading
    rows = tuple(replace(row, columns=glossary.explained(row.columns)) for row in reading.rows)
    return replace(reading, columns=glossary.explained(reading.columns), rows=rows)


def _words(table: Table) -> str:
    cells = (cell for row in table.rows for cell in row.cells)
    return "\n".join((*table.heading_path, table.caption or "", *table.header, *cells))


def _rows_of(
    table: Table, reading: Reading, strict: StrictTables, columns: ColumnNames, glossary: Glossary
) -> Iterator[Row]:
    if reading.kind == "record":
        yield _record(table, columns)
        return
    vocabulary = columns.vocabulary
    names = names_of_rows(reading, vocabulary)
    names = {ordinal: (*called, *glossary.short_names(called)) for ordinal, called in names.items()}
    names = {row.ordinal: _with_own(table, reading, row, names.get(row.ordinal, ())) for row in reading.rows}
    keyed = table.id not in strict.labels and why_unkeyed(reading, names, vocabulary) is None
    for row in reading.rows:
        if row.role != "heading" and any(row.cells):
            yield _grid_row(table, reading, row, strict, names[row.ordinal], columns, keyed=keyed)


def _with_own(table: Table, reading: Reading, row: ReadRow, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a row, and behind them those that the book's owner gives it."""
    if table.rule is None or row.role != "data" or not any(row.cells):
        return names
    return tuple(dict.fromkeys((*names, *table.rule.names_of(row_key(reading, row)))))


def _grid_row(
    table: Table,
    reading: Reading,
    row: ReadRow,
    strict: StrictTables,
    names: tuple[str, ...],
    columns: ColumnNames,
    *,
    keyed: bool,
) -> Row:
    key = row_key(reading, row)
    at = reading.key_column if row.cells[reading.key_column] == key else row.cells.index(key)
    name = called(columns.written_out(row.columns[at]), key)
    content = grid_object(table, reading, row, name, columns)
    if row.role == "data" and not (table.rule and table.rule.open):
        place: Json = {"table": table.id, "row": row.ordinal}
        rival: Json = {NO_RIVAL: place} if keyed else {}
        asked = _own_predicate(table, key) or strict.predicate(table, row.columns[reading.key_column], key) or {}
        if query_must := asked | rival:
            content["query_must"] = query_must
    source = table.rows[row.ordinal]
    return Row(
        table_id=table.id,
        ordinal=row.ordinal,
        key=key,
        content=to_text(content),
        names=names,
        columns=row.columns,
        cells=row.cells,
        lines=(source.line, source.line + source.source.count("\n")),
        source=source.source,
        label=row.label,
        notes=source.notes,
        called=name,
    )


def _own_predicate(table: Table, key: str) -> Json:
    """What the book's owner asks of a question before the row of this key comes back; empty if nothing."""
    said = table.rule.predicate_of(key) if table.rule else None
    found: Json = json.loads(said) if said else {}
    return found


def _notes(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for row in table.rows for note in row.notes))


def _record(table: Table, columns: ColumnNames) -> Row:
    pairs = [(table.header[0], table.header[1]), *((row.cells[0], row.cells[1]) for row in table.rows)]
    named = [(name.rstrip(": "), cell) for name, cell in pairs]
    key = table.title or (table.heading_path[-1] if table.heading_path else "")
    content = record_object(table, named, _notes(table), columns)
    if query_must := _own_predicate(table, key):
        content["query_must"] = query_must
    own = table.rule.names_of(key) if table.rule else ()
    return Row(
        table_id=table.id,
        ordinal=0,
        key=key,
        content=to_text(content),
        names=tuple(dict.fromkeys((*record_names(table), *own))),
        columns=tuple(name for name, _ in named),
        cells=tuple(cell for _, cell in named),
        lines=table.lines,
        source="\n".join([table.header_source, *(row.source for row in table.rows)]),
        kind="record",
        notes=_notes(table),
    )
