"""What must hold of every book before a snapshot is built.

Each check looks at every book of the library and names those that contradict it: Dagster shows one result for a check,
and a result for the last book alone would hide the others.
"""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from evals.assets import with_reason
from evals.checks import JUDGED, kept
from pipeline.building.embedding import embedding_key
from pipeline.building.made_of import records_version
from pipeline.building.materialization import held
from pipeline.defs.books import books
from pipeline.defs.chunks import chunks, embeddings
from pipeline.defs.partitions import books_partitions
from pipeline.defs.tables import predicates, table_rows
from pipeline.lint.propositions import (
    cells_outside_rows,
    documents_without_text,
    predicate_findings,
    repeated_ids,
    rows_outside_chunks,
)
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.ingest.tables.table import Table
from retrieval.query_must.lint import Finding
from retrieval.records import read_jsonl
from retrieval.types import Book, Chunk, Row

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN


def _slugs(context: dg.AssetCheckExecutionContext) -> list[str]:
    return sorted(context.instance.get_dynamic_partitions(str(books_partitions.name)))


def _folders(context: dg.AssetCheckExecutionContext, home: Home, file: str) -> Iterator[Path]:
    """Folders of the books that have got as far as `file`; a book under way has no contradictions yet."""
    for slug in _slugs(context):
        if (home.book(slug) / file).is_file():
            yield home.book(slug)


@dg.asset_check(asset=books, automation_condition=JUDGED)
@with_reason
@kept("every_document_has_text")
def every_document_has_text(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """No document of a book is empty."""
    read = [
        book for folder in _folders(context, home, "book.jsonl") for book in read_jsonl(folder / "book.jsonl", Book)
    ]
    empty = [sentence for book in read for sentence in documents_without_text(book)]
    records = records_version(home, _slugs(context), "books")
    return held(empty, {"n_documents": sum(len(book.documents) for book in read), "records": records}, WARN)


@dg.asset_check(asset=table_rows, blocking=True, automation_condition=JUDGED)
@with_reason
@kept("every_cell_in_one_row")
def every_cell_in_one_row(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Every cell of every source table is in exactly one row object."""
    problems: list[str] = []
    n_cells = 0
    for folder in _folders(context, home, "table_rows.jsonl"):
        tables = read_jsonl(folder / "tables.jsonl", Table)
        n_cells += sum(len(row.cells) for table in tables for row in table.rows)
        problems.extend(cells_outside_rows(tables, read_jsonl(folder / "table_rows.jsonl", Row)))
    return held(problems, {"n_cells": n_cells, "records": records_version(home, _slugs(context), "table_rows")})


@dg.asset_check(asset=predicates, blocking=True, automation_condition=JUDGED)
@with_reason
@kept("predicates_are_satisfiable")
def predicates_are_satisfiable(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """Some question satisfies each predicate, and the title of its own row is one."""
    return _linted(context, home, "error")


@dg.asset_check(asset=predicates, automation_condition=JUDGED)
@with_reason
@kept("predicates_are_careful")
def predicates_are_careful(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """No predicate has an empty term, takes any number of several columns, admits siblings or guards an open table."""
    return _linted(context, home, "warning")


def _linted(context: dg.AssetCheckExecutionContext, home: Home, severity: str) -> dg.AssetCheckResult:
    found: list[Finding] = []
    n_guarded = 0
    for folder in _folders(context, home, "predicates.jsonl"):
        rows = read_jsonl(folder / "predicates.jsonl", Row)
        n_guarded += sum(row.query_must is not None for row in rows)
        findings = predicate_findings(rows, read_jsonl(folder / "tables.jsonl", Table), home.vocabulary)
        found.extend(finding for finding in findings if finding.severity == severity)
    records = records_version(home, _slugs(context), "predicates")
    return held(found, {"n_guarded": n_guarded, "records": records}, ERROR if severity == "error" else WARN)


@dg.asset_check(asset=chunks, blocking=True, automation_condition=JUDGED)
@with_reason
@kept("every_cell_in_one_chunk")
def every_cell_in_one_chunk(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """Every row object is exactly one chunk, cell for cell."""
    problems: list[str] = []
    n_rows = 0
    for folder in _folders(context, home, "chunks.jsonl"):
        rows = read_jsonl(folder / "predicates.jsonl", Row)
        n_rows += len(rows)
        problems.extend(rows_outside_chunks(rows, read_jsonl(folder / "chunks.jsonl", Chunk)))
    return held(problems, {"n_rows": n_rows, "records": records_version(home, _slugs(context), "chunks")})


@dg.asset_check(asset=chunks, blocking=True, automation_condition=JUDGED)
@with_reason
@kept("chunk_ids_are_unique")
def chunk_ids_are_unique(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """No two chunks of the library share an id."""
    found = [
        chunk
        for folder in _folders(context, home, "chunks.jsonl")
        for chunk in read_jsonl(folder / "chunks.jsonl", Chunk)
    ]
    records = records_version(home, _slugs(context), "chunks")
    return held(repeated_ids(found), {"n_chunks": len(found), "records": records})


@dg.asset_check(asset=embeddings, blocking=True, automation_condition=JUDGED)
@with_reason
@kept("every_chunk_has_a_vector")
def every_chunk_has_a_vector(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """The store holds a vector of the chosen embedder for every chunk of the library."""
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    keys = [
        embedding_key(chunk)
        for folder in _folders(context, home, "embedded.txt")
        for chunk in read_jsonl(folder / "chunks.jsonl", Chunk)
    ]
    missing = [key.partition("\0")[0] for key in store.missing(keys)]
    records = records_version(home, _slugs(context), "embeddings")
    return held([f"no vector: {text[:60]!r}" for text in missing], {"n_chunks": len(keys), "records": records})


book_checks = [
    every_document_has_text,
    every_cell_in_one_row,
    predicates_are_satisfiable,
    predicates_are_careful,
    every_cell_in_one_chunk,
    chunk_ids_are_unique,
    every_chunk_has_a_vector,
]
"""In the order of the data. Those of them that block are asked again before anything goes live."""

BOOK_CHECK_KEYS = tuple(spec.key for check in book_checks for spec in check.check_specs)
BOOK_GATE = tuple(spec.key for check in book_checks for spec in check.check_specs if spec.blocking)
