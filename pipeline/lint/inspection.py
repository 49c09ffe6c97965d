"""Contradictions between the records of one book, and the report of `querymust lint` on a snapshot."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from pipeline.building.book_records import (
    BOOK_FILE,
    CHUNKS_FILE,
    GUARDS,
    PREDICATES_FILE,
    TABLES_FILE,
    unfinished_books,
)
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.sibling_tables import keyed_tables
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.ingest.density import TableDensity, table_densities
from retrieval.ingest.guard_report import TableGuard
from retrieval.ingest.library.book import NOT_UTF_8
from retrieval.ingest.owner_rules import unmet_rules
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.row_predicates import StrictTables
from retrieval.ingest.tables.rows import check_fidelity
from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.unread import unread_tables
from retrieval.language.numbers.cells import is_numeric
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.lint import LintFinding, LintItem, lint
from retrieval.types import Book, Chunk, Row

_RowContent = tuple[str | None, str | None, tuple[str, ...]]
"""Table, key and cells."""


def empty_documents(book: Book) -> tuple[str, ...]:
    """Return the paths of the documents without text."""
    return tuple(document.path for document in book.documents if not document.text.strip())


def damaged_documents(book: Book) -> tuple[str, ...]:
    """Return the documents that are not UTF-8, so that their text may be read wrongly."""
    return tuple(f"{book.slug}/{warning}" for warning in book.warnings if warning.endswith(NOT_UTF_8))


def cells_outside_rows(tables: Sequence[Table], rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the source rows whose cells are not those of exactly one row object."""
    return tuple(
        f"{violation.document}:{violation.line}: {violation.reason}" for violation in check_fidelity(tables, rows)
    )


def rows_outside_chunks(rows: Iterable[Row], chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """Return rows whose cells are not those of exactly one chunk, and chunks whose cells belong to no row.

    Together with `cells_outside_rows` this checks that every source cell is in exactly one chunk.
    """
    wanted: Counter[_RowContent] = Counter((row.table_id, row.key, row.cells) for row in rows)
    made: Counter[_RowContent] = Counter(
        (chunk.table_id, chunk.row_key, chunk.cells) for chunk in chunks if chunk.kind != "prose"
    )
    lost = [f"row {key!r} {cells[:3]} of table {table} is in no chunk" for table, key, cells in (wanted - made)]
    extra = [
        f"a chunk for {key!r} {cells[:3]} of table {table} matches no row" for table, key, cells in (made - wanted)
    ]
    return tuple(lost + extra)


def repeated_ids(chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """Return a sentence for each chunk id that more than one chunk has."""
    counts = Counter(chunk.id for chunk in chunks)
    return tuple(f"chunk id {chunk_id} is used {count} times" for chunk_id, count in counts.items() if count > 1)


def predicate_findings(rows: Sequence[Row], tables: Sequence[Table], vocabulary: Vocabulary) -> tuple[LintFinding, ...]:
    """Return all faults of the predicates of one book's rows; a finding's id begins with the title of its row."""
    columns = numeric_columns(rows)
    may, alike = strict_tables(tables, vocabulary), alike_tables(tables)
    return lint(
        [
            LintItem(
                id=f"{row_title(row.content, row.key)} [{row.table_id}:{row.ordinal}]",
                title=row_title(row.content, row.key),
                table_id=row.table_id,
                query_must=row.query_must,
                strict=may.get(row.table_id),
                numeric_columns=columns[row.table_id],
                alike=row.table_id in alike,
            )
            for row in rows
        ],
        vocabulary,
    )


def row_title(content: str, key: str) -> str:
    """Return the title in the JSON of a row, or else its key."""
    return str(json.loads(content).get("title", key))


def strict_tables(tables: Sequence[Table], vocabulary: Vocabulary) -> dict[str, bool]:
    """Return, by table of one book, whether the rules of the program or of its owner let its rows have predicates."""
    strict = StrictTables.find(tables, [read_table(table) for table in tables], vocabulary)
    owned = {table.id for table in tables if table.rule and (table.rule.query_must or table.rule.row_query_must)}
    return {table.id: table.id in strict.labels or table.id in owned for table in tables}


def alike_tables(tables: Iterable[Table]) -> set[str]:
    """Return the tables whose owner gives all rows the same predicate, so that a question admits all or none."""
    return {table.id for table in tables if table.rule and table.rule.query_must}


def numeric_columns(rows: Iterable[Row | Chunk]) -> Mapping[str, int]:
    """Return, by table, the number of columns that hold only numbers; 0 for any other table."""
    cells: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for position, cell in enumerate(row.cells):
            if cell and row.table_id:
                cells[row.table_id][position].append(cell)
    numbers = {
        table: sum(all(map(is_numeric, column)) for column in places.values()) for table, places in cells.items()
    }
    return defaultdict(int, numbers)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The findings about one snapshot. Key: snapshot."""

    snapshot: str
    n_chunks: int
    n_guarded: int
    findings: tuple[LintFinding, ...]
    """Findings about predicates; a finding's id is its chunk's."""
    titles: Mapping[str, str]
    """Titles of the chunks of the findings, by id."""
    violations: tuple[str, ...]
    """Cells of a source table that are not in exactly one chunk."""
    densities: tuple[TableDensity, ...]
    """The densities of all tables, densest first."""
    guards: tuple[TableGuard, ...]
    """The verdict on every table of the books whose records are those of this snapshot."""
    unmet: tuple[str, ...]
    """Rules of `tables.toml` for tables, columns and rows that its book does not have."""
    unread_tables: tuple[str, ...]
    """Rows of a document that look like a table and are in none."""
    unread: tuple[str, ...]
    """Books whose records are missing or from another build, so that their fidelity and tables were not checked."""

    @property
    def n_errors(self) -> int:
        """The number of errors: a predicate or a row contradicts its source."""
        return sum(finding.severity == "error" for finding in self.findings) + len(self.violations)


def inspect(home: Home, snapshot: Snapshot) -> Inspection:
    """Lint a snapshot's predicates, compare its rows with the tables of its books, and measure the tables.

    Whatever needs the records of a book is reported only for books whose records are those of this snapshot.
    """
    chunks = tuple(snapshot.chunks)
    violations: list[str] = []
    unread: list[str] = []
    guards: list[TableGuard] = []
    missed: list[str] = []
    unread_rows: list[str] = []
    alike: set[str] = set()
    may: dict[str, bool] = {}
    for slug, of_book in _by_book(chunks).items():
        tables = _tables_of(home, slug, of_book)
        if tables is None:
            unread.append(slug)
            continue
        guards.extend(read_jsonl(home.book(slug) / GUARDS, TableGuard))
        (book,) = read_jsonl(home.book(slug) / BOOK_FILE, Book)
        missed.extend(f"{slug}/{sentence}" for sentence in unmet_rules(book.table_rules, tables, snapshot.vocabulary))
        unread_rows.extend(f"{slug}/{sentence}" for sentence in unread_tables(book.documents, tables))
        alike |= alike_tables(tables)
        may |= strict_tables(tables, snapshot.vocabulary)
        rows = read_jsonl(home.book(slug) / PREDICATES_FILE, Row)
        sentences = cells_outside_rows(tables, rows) + rows_outside_chunks(rows, of_book)
        violations.extend(f"{slug}: {sentence}" for sentence in sentences)
    items = _items(chunks, may, alike)
    findings = lint(items, snapshot.vocabulary, keyed_tables(chunks).tables)
    found_in = {finding.id for finding in findings}
    return Inspection(
        snapshot=snapshot.id,
        n_chunks=len(chunks),
        n_guarded=sum(chunk.query_must is not None for chunk in chunks),
        findings=findings,
        titles={item.id: item.title for item in items if item.id in found_in},
        violations=tuple(violations),
        densities=table_densities(chunks),
        guards=tuple(guards),
        unmet=tuple(missed),
        unread_tables=tuple(unread_rows),
        unread=tuple(unread),
    )


def _by_book(chunks: Iterable[Chunk]) -> Mapping[str, list[Chunk]]:
    books: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        books[chunk.book].append(chunk)
    return dict(sorted(books.items()))


def _tables_of(home: Home, slug: str, chunks: Sequence[Chunk]) -> tuple[Table, ...] | None:
    """Return the tables that these chunks were made from; None if the book's records do not match or are unfinished."""
    if unfinished_books(home, [slug]):
        return None
    folder = home.book(slug)
    if not all((folder / name).is_file() for name in (BOOK_FILE, CHUNKS_FILE, PREDICATES_FILE, TABLES_FILE, GUARDS)):
        return None
    recorded = {(chunk.id, chunk.query_must) for chunk in read_jsonl(folder / CHUNKS_FILE, Chunk)}
    if recorded != {(chunk.id, chunk.query_must) for chunk in chunks}:
        return None
    return read_jsonl(folder / TABLES_FILE, Table)


def _items(chunks: Iterable[Chunk], may: Mapping[str, bool], alike: Set[str]) -> list[LintItem]:
    rows = [chunk for chunk in chunks if chunk.kind != "prose"]
    columns = numeric_columns(rows)
    return [
        LintItem(
            id=chunk.id,
            title=row_title(chunk.text, chunk.row_key or ""),
            table_id=chunk.table_id or "",
            query_must=chunk.query_must,
            strict=may.get(chunk.table_id or ""),
            numeric_columns=columns[chunk.table_id or ""],
            alike=chunk.table_id in alike,
        )
        for chunk in rows
        if chunk.query_must is not None
    ]
