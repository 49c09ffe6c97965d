"""What `querymust lint` reports: faulty predicates and rows, unguarded tables, crowded tables."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from pipeline.building.book_records import GUARDS, unfinished_books
from pipeline.lint.propositions import (
    alike_tables,
    cells_outside_rows,
    numeric_columns,
    row_title,
    rows_outside_chunks,
    strict_tables,
)
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.keyed_tables import keyed_tables
from retrieval.ingest.density import TableDensity, table_densities
from retrieval.ingest.guarding import TableGuard, unmet
from retrieval.ingest.tables.table import Table
from retrieval.query_must.lint import LintFinding, LintItem, lint
from retrieval.types import Book, Chunk, Row


@dataclass(frozen=True, slots=True)
class Inspection:
    """The findings about one snapshot. Key: snapshot."""

    snapshot: str
    n_chunks: int
    n_guarded: int
    findings: tuple[LintFinding, ...]
    """About predicates; a finding's id is its chunk's."""
    titles: Mapping[str, str]
    """What the chunks of the findings are called."""
    violations: tuple[str, ...]
    """Cells of a source table that are not in exactly one chunk."""
    densities: tuple[TableDensity, ...]
    """Of every table, densest first."""
    guards: tuple[TableGuard, ...]
    """The verdict on every table of the books whose records are those of this snapshot."""
    unmet: tuple[str, ...]
    """What `tables.toml` says of tables, columns and rows that its book does not have."""
    unread: tuple[str, ...]
    """Books whose records are gone or are of another build: nothing is known of their fidelity and their tables."""

    @property
    def n_errors(self) -> int:
        """Findings that mean that a predicate or a row does not say what its source says."""
        return sum(finding.severity == "error" for finding in self.findings) + len(self.violations)


def inspect(home: Home, snapshot: Snapshot) -> Inspection:
    """Lint a snapshot's predicates, compare its rows with the tables of its books, and measure the tables.

    What only the records of a book can say is said of the books whose records are those of this snapshot.
    """
    chunks = tuple(snapshot.chunks)
    violations: list[str] = []
    unread: list[str] = []
    guards: list[TableGuard] = []
    missed: list[str] = []
    alike: set[str] = set()
    may: dict[str, bool] = {}
    for slug, of_book in _by_book(chunks).items():
        tables = _tables_of(home, slug, of_book)
        if tables is None:
            unread.append(slug)
            continue
        guards.extend(read_jsonl(home.book(slug) / GUARDS, TableGuard))
        (book,) = read_jsonl(home.book(slug) / "book.jsonl", Book)
        missed.extend(f"{slug}/{output}" for output in unmet(book.table_rules, tables, snapshot.vocabulary))
        alike |= alike_tables(tables)
        may |= strict_tables(tables, snapshot.vocabulary)
        rows = read_jsonl(home.book(slug) / "predicates.jsonl", Row)
        result = cells_outside_rows(tables, rows) + rows_outside_chunks(rows, of_book)
        violations.extend(f"{slug}: {sentence}" for sentence in result)
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
        unread=tuple(unread),
    )


def _by_book(chunks: Iterable[Chunk]) -> Mapping[str, list[Chunk]]:
    books: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        books[chunk.book].append(chunk)
    return dict(sorted(books.items()))


def _tables_of(home: Home, slug: str, chunks: Sequence[Chunk]) -> tuple[Table, ...] | None:
    """The tables that these chunks were made of; None if the book's records are not theirs, or of two states."""
    if unfinished_books(home, [slug]):
        return None
    folder = home.book(slug)
    if not all(
        (folder / name).is_file() for name in ("book.jsonl", "chunks.jsonl", "predicates.jsonl", "tables.jsonl", GUARDS)
    ):
        return None
    recorded = {(chunk.id, chunk.query_must) for chunk in read_jsonl(folder / "chunks.jsonl", Chunk)}
    if recorded != {(chunk.id, chunk.query_must) for chunk in chunks}:
        return None
    return read_jsonl(folder / "tables.jsonl", Table)


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
