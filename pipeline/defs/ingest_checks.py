"""Checks that must hold for every book before a snapshot is built.

Each check covers every book of the library and names those that contradict it: Dagster shows one result per check, and
a result for the last book alone would hide the others.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import dagster as dg

from evals.checks import JUDGED, kept
from pipeline.building.book_records import (
    BOOK_FILE,
    CHUNKS_FILE,
    PREDICATES_FILE,
    ROWS_FILE,
    TABLES_FILE,
    book_records,
    missing_from,
)
from pipeline.building.kept_work import BookVerdict, book_verdict
from pipeline.building.library_records import RECORDS, records_version
from pipeline.building.materialization import held
from pipeline.defs.books import books, books_partitions, chunks, embeddings, predicates, table_rows
from pipeline.lint.inspection import (
    cells_outside_rows,
    damaged_documents,
    empty_documents,
    predicate_findings,
    repeated_ids,
    rows_outside_chunks,
)
from retrieval.errors import NothingLiveError
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Row

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN


def _slugs(context: dg.AssetCheckExecutionContext) -> list[str]:
    return sorted(context.instance.get_dynamic_partitions(str(books_partitions.name)))


def _folders(context: dg.AssetCheckExecutionContext, home: Home, file: str) -> Iterator[Path]:
    """Yield the folders of records of the books that have `file`; a book under way has no contradictions yet."""
    for slug in _slugs(context):
        if (home.book(slug) / file).is_file():
            yield home.book(slug)


def _books(folders: Iterable[Path]) -> list[Book]:
    """Return the book of each of these folders of records."""
    return [book for folder in folders for book in read_jsonl(folder / BOOK_FILE, Book)]


def _verdicts(
    context: dg.AssetCheckExecutionContext, home: Home, asset: str, judge: Callable[[Path], BookVerdict]
) -> list[BookVerdict]:
    """Return the verdict of `judge` on each book; records that it has judged before are not judged again."""
    files, words = RECORDS[asset], home.vocabulary
    return [
        book_verdict(folder, asset, files, words, partial(judge, folder))
        for folder in _folders(context, home, files[-1])
    ]


def _counted(
    context: dg.AssetCheckExecutionContext, home: Home, asset: str, name: str, judge: Callable[[Path], BookVerdict]
) -> dg.AssetCheckResult:
    verdicts = _verdicts(context, home, asset, judge)
    problems = [sentence for verdict in verdicts for sentence in verdict.sentences]
    records = records_version(home, _slugs(context), asset)
    return held(problems, {name: sum(verdict.count for verdict in verdicts), "records": records})


@dg.asset_check(asset=books, automation_condition=JUDGED)
@kept("every_document_has_text")
def every_document_has_text(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """No document of a book is empty. One that readers find text of now is not emptied unasked."""
    read = _books(_folders(context, home, BOOK_FILE))
    empty = [f"{book.slug}/{document}" for book in read for document in empty_documents(book)]
    emptied = _live_documents(home).intersection(empty) if empty else frozenset()
    n_documents = sum(len(book.documents) for book in read)
    records = records_version(home, _slugs(context), "books")
    holding = list(map(_is_empty, sorted(emptied)))
    return held(list(map(_is_empty, empty)), {"n_documents": n_documents, "records": records}, WARN, holding=holding)


def _is_empty(document: str) -> str:
    return f"{document} is empty"


def _live_documents(home: Home) -> frozenset[str]:
    """Return the documents that have text in the live index; none if nothing is live."""
    try:
        with open_snapshot(home.root, hashes=False) as snapshot:
            return frozenset(f"{chunk.book}/{chunk.document}" for chunk in snapshot.chunks)
    except NothingLiveError:
        return frozenset()


@dg.asset_check(asset=books, automation_condition=JUDGED)
@kept("every_byte_is_text")
def every_byte_is_text(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Every document is UTF-8 text; one that is not was read by a guess. Live text is not replaced by it unasked."""
    read = _books(_folders(context, home, BOOK_FILE))
    damaged = [sentence for book in read for sentence in damaged_documents(book)]
    records = records_version(home, _slugs(context), "books")
    n_documents = sum(len(book.documents) for book in read)
    live = _live_documents(home) if damaged else frozenset()
    replaced = [sentence for sentence in damaged if sentence.partition(": ")[0] in live]
    return held(damaged, {"n_documents": n_documents, "records": records}, WARN, holding=replaced)


@dg.asset_check(asset=table_rows, blocking=True, automation_condition=JUDGED)
@kept("every_cell_in_one_row")
def every_cell_in_one_row(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Every cell of every source table is in exactly one row object."""
    return _counted(context, home, "table_rows", "n_cells", _cells_in_rows)


def _cells_in_rows(folder: Path) -> BookVerdict:
    tables = read_jsonl(folder / TABLES_FILE, Table)
    n_cells = sum(len(row.cells) for table in tables for row in table.rows)
    return BookVerdict(n_cells, cells_outside_rows(tables, read_jsonl(folder / ROWS_FILE, Row)))


@dg.asset_check(asset=predicates, blocking=True, automation_condition=JUDGED)
@kept("predicates_are_satisfiable")
def predicates_are_satisfiable(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """Some question satisfies each predicate, and the title of its own row is one."""
    return _linted(context, home, "error")


@dg.asset_check(asset=predicates, automation_condition=JUDGED)
@kept("predicates_are_careful")
def predicates_are_careful(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """No predicate has an empty term, takes any number of several columns, admits siblings or guards an open table."""
    return _linted(context, home, "warning")


def _linted(context: dg.AssetCheckExecutionContext, home: Home, severity: str) -> dg.AssetCheckResult:
    verdicts = _verdicts(context, home, "predicates", partial(_predicates_found, vocabulary=home.vocabulary))
    findings = [finding for verdict in verdicts for finding in verdict.findings if finding.severity == severity]
    n_guarded = sum(verdict.count for verdict in verdicts)
    records = records_version(home, _slugs(context), "predicates")
    return held(findings, {"n_guarded": n_guarded, "records": records}, ERROR if severity == "error" else WARN)


def _predicates_found(folder: Path, vocabulary: Vocabulary) -> BookVerdict:
    rows = read_jsonl(folder / PREDICATES_FILE, Row)
    n_guarded = sum(row.query_must is not None for row in rows)
    findings = predicate_findings(rows, read_jsonl(folder / TABLES_FILE, Table), vocabulary)
    return BookVerdict(n_guarded, findings=findings)


@dg.asset_check(asset=chunks, blocking=True, automation_condition=JUDGED)
@kept("every_cell_in_one_chunk")
def every_cell_in_one_chunk(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """Every row object is exactly one chunk, cell for cell."""
    return _counted(context, home, "chunks", "n_rows", _rows_in_chunks)


def _rows_in_chunks(folder: Path) -> BookVerdict:
    rows = read_jsonl(folder / PREDICATES_FILE, Row)
    return BookVerdict(len(rows), rows_outside_chunks(rows, book_records(folder).chunks))


@dg.asset_check(asset=chunks, automation_condition=JUDGED)
@kept("nothing_is_missing")
def nothing_is_missing(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Every book and document can be read, and every rule of reading did its part."""
    folders = list(_folders(context, home, CHUNKS_FILE))
    books = _books(folders)
    missing = [sentence for folder, book in zip(folders, books, strict=True) for sentence in missing_from(folder, book)]
    return held(missing, {"n_books": len(books)}, WARN)


@dg.asset_check(asset=chunks, blocking=True, automation_condition=JUDGED)
@kept("chunk_ids_are_unique")
def chunk_ids_are_unique(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """No two chunks of the library share an id."""
    library_chunks = [chunk for folder in _folders(context, home, CHUNKS_FILE) for chunk in book_records(folder).chunks]
    records = records_version(home, _slugs(context), "chunks")
    return held(repeated_ids(library_chunks), {"n_chunks": len(library_chunks), "records": records})


@dg.asset_check(asset=embeddings, blocking=True, automation_condition=JUDGED)
@kept("every_chunk_has_a_vector")
def every_chunk_has_a_vector(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """The store holds a vector of the chosen embedder for every chunk of the library."""
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    keys = [key for folder in _folders(context, home, "embedded.txt") for key in book_records(folder).keys]
    missing = [key.partition("\0")[0] for key in store.missing(keys)]
    records = records_version(home, _slugs(context), "embeddings")
    return held([f"no vector: {text[:60]!r}" for text in missing], {"n_chunks": len(keys), "records": records})


book_checks = [
    every_document_has_text,
    every_byte_is_text,
    every_cell_in_one_row,
    predicates_are_satisfiable,
    predicates_are_careful,
    every_cell_in_one_chunk,
    nothing_is_missing,
    chunk_ids_are_unique,
    every_chunk_has_a_vector,
]
"""In the order of the data. Those that block or hold are evaluated again before anything goes live."""

HOLDING = (every_document_has_text, every_byte_is_text)
"""Checks whose warnings mean that text may be damaged or lost. They only warn, so that the library is indexed and can
be inspected, but their findings (`held(…, holding=…)`) keep it from going live until a person accepts them."""

HOLDING_KEYS = tuple(spec.key for check in HOLDING for spec in check.check_specs)
BOOK_CHECK_KEYS = tuple(spec.key for check in book_checks for spec in check.check_specs)
BOOK_GATE = tuple(spec.key for check in book_checks for spec in check.check_specs if spec.blocking or check in HOLDING)
