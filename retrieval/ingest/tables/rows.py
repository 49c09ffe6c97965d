"""Rows of tables as JSON objects with names and predicates, and a check that no cell is lost.

`row_predicates.py` makes the predicates.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.codes import Codes
from retrieval.ingest.tables.column_names import ColumnNames
from retrieval.ingest.tables.glossary import Glossary, document_words
from retrieval.ingest.tables.key_column import LONGEST_PART, ReadRow, keys_are_in_groups
from retrieval.ingest.tables.pointers import referrers
from retrieval.ingest.tables.reading import TableMeaning, plain_reading, read_table
from retrieval.ingest.tables.row_object import (
    called,
    grid_object,
    names_of_rows,
    record_names,
    record_object,
    row_key,
    to_text,
)
from retrieval.ingest.tables.row_predicates import StrictTables, is_keyed, own_predicate, row_predicate
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Row


def transform_tables(tables: Sequence[Table], vocabulary: Vocabulary, texts: Iterable[str] = ()) -> tuple[Row, ...]:
    """Return the rows of every table of one book, made by rules without a model.

    If a rule for the whole book fails, its results are omitted; a table whose rows cannot be made properly has plain
    rows.

    Args:
        tables: all of the book, because strictness depends on a table's twins.
        texts: of the book's documents. A column name is expanded if they, or the tables, have its long form.
    """
    texts, readings = tuple(texts), [read_table(table) for table in tables]
    words = (*texts, *map(_words, tables))
    strict = attempt(
        lambda: StrictTables.find(tables, readings, vocabulary),
        lambda: StrictTables({}, {}, {}, {}),
        "which tables are strict",
    )
    columns = attempt(
        lambda: ColumnNames.of(words, vocabulary),
        lambda: ColumnNames(vocabulary, frozenset()),
        "each long form of a column name",
    )
    glossary = attempt(
        lambda: Glossary.of(texts, readings, vocabulary), lambda: Glossary({}), "the glossary of the book"
    )
    codes = attempt(
        lambda: Codes.of(texts, tables, readings, glossary.words), lambda: Codes({}), "what the codes of the book mean"
    )
    searched_as = _searched_as(tables, readings, codes)
    book = _BookRules(strict, columns, glossary, codes)
    return tuple(
        replace(row, searched_as=searched_as.get(table.id, ()))
        for table, reading in zip(tables, readings, strict=True)
        for row in attempt(
            partial(_rows_of, table, reading, book),
            partial(_plain_rows, table),
            "the proper form of a table's rows",
            table.document,
            table.lines[0],
        )
    )


@dataclass(frozen=True, slots=True)
class _BookRules:
    """Information about a whole book that is needed to make its rows."""

    strict: StrictTables
    columns: ColumnNames
    glossary: Glossary
    codes: Codes


def _searched_as(
    tables: Sequence[Table], readings: Sequence[TableMeaning], codes: Codes
) -> Mapping[str, tuple[str, ...]]:
    """Return other search terms by table id: names of rows that refer to the table, words of its document, and names of
    the codes in its title."""
    pointing = attempt(
        lambda: referrers(tables, readings), dict[str, tuple[str, ...]], "which rows point to which tables"
    )
    documents = attempt(
        lambda: document_words(tables), dict[str, tuple[str, ...]], "which words distinguish the documents"
    )
    titles = {table.id: " ".join((table.caption or "", *table.heading_path[-1:])) for table in tables}
    named = attempt(
        lambda: {table: codes.named_in(title, table) for table, title in titles.items()},
        dict[str, tuple[str, ...]],
        "which codes are in the titles of tables",
    )
    every = (pointing, documents, named)
    return {table.id: tuple(term for terms in every for term in terms.get(table.id, ())) for table in tables}


def _plain_rows(table: Table) -> tuple[Row, ...]:
    """Return a row for each line of a table, with its cells by column name and no results of other rules."""
    reading = plain_reading(table)
    subject = table.caption or " ".join(table.heading_path[-1:]) or table.document
    rows = []
    for row in (row for row in reading.rows if any(row.cells)):
        key, source = next(cell for cell in row.cells if cell), table.rows[row.ordinal]
        cells = {
            f"{name} ({column})": cell for column, (name, cell) in enumerate(zip(row.columns, row.cells, strict=True))
        }
        rows.append(
            Row(
                table_id=table.id,
                ordinal=row.ordinal,
                key=key,
                content=to_text(
                    {"title": f"{subject} - {key}", **{name: cell for name, cell in cells.items() if cell}}
                ),
                columns=row.columns,
                cells=row.cells,
                lines=(source.line, source.line + source.source.count("\n")),
                source=source.source,
                notes=source.notes,
            )
        )
    return tuple(rows)


def _explained(reading: TableMeaning, book: _BookRules, table: str) -> TableMeaning:
    """Return the table's reading with headings that explain their short forms and codes."""
    if reading.kind == "record":
        return reading

    def explained(columns: Sequence[str]) -> tuple[str, ...]:
        return book.codes.explained(book.glossary.explained(columns), table)

    rows = tuple(replace(row, columns=explained(row.columns)) for row in reading.rows)
    return replace(reading, columns=explained(reading.columns), rows=rows)


def _words(table: Table) -> str:
    cells = (cell for row in table.rows for cell in row.cells)
    return "\n".join((*table.heading_path, table.caption or "", *table.header, *cells))


def _rows_of(table: Table, as_written: TableMeaning, book: _BookRules) -> tuple[Row, ...]:
    at_table = partial(attempt, document=table.document, line=table.lines[0])
    reading = at_table(
        lambda: _explained(as_written, book, table.id), lambda: as_written, "what short column names mean"
    )
    if reading.kind == "record":
        return (_record(table, book.columns),)
    names = at_table(
        lambda: _names_of(table, reading, book), dict[int, tuple[str, ...]], "what the rows of a table are called"
    )
    keyed = at_table(
        lambda: is_keyed(table, reading, names, book.strict, book.columns.vocabulary),
        bool,
        "whether each key of a table has one row",
    )
    row_names = at_table(
        lambda: _RowNames.of(reading, book.columns),
        lambda: _RowNames(reading.key_column, (Counter[str](),) * (reading.key_column + 1), False, book.columns),
        "what distinguishes rows with the same key",
    )
    return tuple(
        _grid_row(table, reading, row, book, names.get(row.ordinal, ()), row_names, keyed=keyed)
        for row in reading.rows
        if row.role != "heading" and any(row.cells)
    )


def _names_of(table: Table, reading: TableMeaning, book: _BookRules) -> Mapping[int, tuple[str, ...]]:
    """Return the names of each row of a grid, by its ordinal."""
    names = names_of_rows(reading, book.columns.vocabulary)
    names = {ordinal: (*called, *book.glossary.short_names(called)) for ordinal, called in names.items()}
    return {row.ordinal: _with_own(table, reading, row, names.get(row.ordinal, ())) for row in reading.rows}


def _with_own(table: Table, reading: TableMeaning, row: ReadRow, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a row, followed by those that the book's owner gives it."""
    if table.rule is None or row.role != "data" or not any(row.cells):
        return names
    return tuple(dict.fromkeys((*names, *table.rule.names_of(row_key(reading, row)))))


def _grid_row(
    table: Table,
    reading: TableMeaning,
    row: ReadRow,
    book: _BookRules,
    names: tuple[str, ...],
    row_names: "_RowNames",
    *,
    keyed: bool,
) -> Row:
    columns, key = book.columns, row_key(reading, row)
    at = reading.key_column if row.cells[reading.key_column] == key else row.cells.index(key)
    name = row_names.name(row, at)
    content = grid_object(table, reading, row, name, columns)
    meanings = attempt(
        lambda: book.codes.meanings(key, row.columns[at], table.id),
        tuple[str, ...],
        "what the codes in a row's key mean",
        table.document,
        table.rows[row.ordinal].line,
    )
    if meanings:
        content["description"] = f"{content['description']} {key}: {', '.join(meanings)}."
    if query_must := row_predicate(table, row, key, book.strict, row.columns[reading.key_column], keyed=keyed):
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
        meanings=meanings,
    )


_SHORT = 3
"""Most characters of a cell that says nothing without its column if another column has it too: `ON`."""


@dataclass(frozen=True, slots=True)
class _RowNames:
    """The spoken names of the rows of a table by their keys."""

    key_column: int
    cells_of_columns: tuple[Counter[str], ...]
    """The cells of the columns up to the key's."""
    in_groups: bool
    """Whether all names begin with what is to the left of the key."""
    columns: ColumnNames

    @classmethod
    def of(cls, reading: TableMeaning, columns: ColumnNames) -> "_RowNames":
        """Count the cells of a table's data rows."""
        own = [row.cells for row in reading.rows if row.role == "data" and row.columns == reading.columns]
        counts = tuple(Counter(cells[at] for cells in own) for at in range(reading.key_column + 1))
        return cls(reading.key_column, counts, keys_are_in_groups(reading.rows, reading.key_column), columns)

    def name(self, row: ReadRow, key: int) -> str:
        """Return the name of a row by the cell of its key, after what distinguishes it from other rows with this key:
        the cells to the left, or its label."""
        at_key, above = row.cells[self.key_column], called(self.columns.written_out(row.columns[0]), row.label or "")
        if row.role == "data" and key == self.key_column and (self.in_groups or self.cells_of_columns[key][at_key] > 1):
            before = [self._spoken(row, at) for at in range(key) if row.cells[at]] or [above]
        elif row.role == "data" and not at_key:
            before = [above]
        else:
            return called(self.columns.written_out(row.columns[key]), row.cells[key])
        own = self._spoken(row, key)
        short = [words for words in before if len(words) <= LONGEST_PART and words.casefold() not in own.casefold()]
        return ", ".join(filter(None, (*short, own)))

    def _spoken(self, row: ReadRow, at: int) -> str:
        cell, column = row.cells[at], self.columns.written_out(row.columns[at])
        is_elsewhere = any(cell in cells for other, cells in enumerate(self.cells_of_columns) if other != at)
        return f"{column} {cell}" if len(cell) <= _SHORT and is_elsewhere else called(column, cell)


def _notes(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for row in table.rows for note in row.notes))


def _record(table: Table, columns: ColumnNames) -> Row:
    pairs = [(table.header[0], table.header[1]), *((row.cells[0], row.cells[1]) for row in table.rows)]
    named = [(name.rstrip(": "), cell) for name, cell in pairs]
    key = table.title or (table.heading_path[-1] if table.heading_path else "")
    content = record_object(table, named, _notes(table), columns)
    if query_must := own_predicate(table, key):
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


@dataclass(frozen=True, slots=True)
class Violation:
    """A source row whose cells differ from those of its row object."""

    table_id: str
    document: str
    line: int
    reason: str


def check_fidelity(tables: Sequence[Table], rows: Sequence[Row]) -> tuple[Violation, ...]:
    """Compare the cells of every source row with the row made of it, except heading rows, which are in the columns."""
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
