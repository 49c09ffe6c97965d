"""The assets of one book, from its folder to its vectors, and the observable sources: book folders and questions."""

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import dagster as dg

from evals.asset_options import AGAIN, QUESTION_FILES, as_table, columns_of, with_reason
from evals.questions.question_sets import questions_version
from pipeline.building.book_records import (
    BOOK_FILE,
    CHUNKS_FILE,
    GUARDS,
    PREDICATES_FILE,
    ROWS_FILE,
    TABLES_FILE,
    enter_book,
    fault_sentence,
    keep_source,
    kept_losses,
    read_for_index,
)
from pipeline.building.hosted_models import HostedModels
from pipeline.building.materialization import Reported, content_version, losses_metadata, materialized
from pipeline.building.model_work import keep_passage_report, keep_table_report, make_chunks, make_rows, told_work
from pipeline.building.plan import cost_of
from retrieval.errors import LibraryError, UnknownNameError
from retrieval.files.records import dump_record, read_jsonl, write_jsonl
from retrieval.home import Home, is_book_key
from retrieval.index.embedding.embedders import cuts_for, load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_chunks, embedding_key, logged_progress
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.density import TableDensity, table_densities
from retrieval.ingest.guard_report import REASONS, count_guards, table_guards
from retrieval.ingest.library.library import list_books
from retrieval.ingest.losses import Loss, record_losses
from retrieval.ingest.owner_rules import unmet_rules
from retrieval.ingest.parsed_book import read_parsed_book
from retrieval.ingest.tables.row_predicates import MIN_DENSITY, extract_predicates
from retrieval.ingest.tables.table import Table
from retrieval.models.access import Access
from retrieval.models.chat import Usage
from retrieval.types import Book, Chunk, Row

books_partitions = dg.DynamicPartitionsDefinition(name="books")


def of_a_book(
    deps: Iterable[dg.AssetsDefinition | str], kind: str, retry_policy: dg.RetryPolicy | None = None
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Return the decorator of an asset that is made book by book."""
    return dg.asset(
        deps=deps,
        kinds={kind},
        partitions_def=books_partitions,
        group_name="ingest",
        owners=["team:search"],
        tags={"domain": "books"},
        retry_policy=retry_policy,
    )


def partition_keys(slugs: Iterable[str]) -> list[str]:
    """Return the slugs as partition keys. They are checked here, because a key becomes a folder's name.

    Raises:
        LibraryError: a slug could lead out of its folder or break a command line.
    """
    keys = list(slugs)
    for key in keys:
        if not is_book_key(key):
            raise LibraryError(f"{key!r} cannot be a book's key; use lower-case letters, digits and dashes")
    return keys


def forget_books(home: Home, keys: Iterable[str]) -> None:
    """Delete the records of removed books; a key that is invalid for a book was added by hand, and has none."""
    for key in filter(is_book_key, keys):
        home.forget(key)


def of_records(
    name: str, records: Sequence[Table | Row | Chunk], losses: Collection[Loss], metadata: Mapping[str, Reported]
) -> dg.MaterializeResult[None]:
    """Return the result of an asset that stored these records of a book, of the kind `name`."""
    kind = {"tables": Table, "rows": Row, "chunks": Chunk}[name]
    numbers = {f"n_{name}": len(records), "dagster/partition_row_count": len(records)}
    columns = {"dagster/column_schema": columns_of(kind)}
    version = content_version(map(dump_record, records))
    return materialized(version, {**numbers, **columns, **metadata, **losses_metadata(losses)})


BOOK_FOLDERS = "book_folders"
_VERSION = "dagster/data_version"


with warnings.catch_warnings():
    warnings.simplefilter("ignore", dg.BetaWarning)  # of observable source assets
    _folders = dg.observable_source_asset(
        name=BOOK_FOLDERS,
        description="The folders of the books as they are now; a book that was read before a change is unsynced.",
        partitions_def=books_partitions,
        group_name="ingest",
        tags={"domain": "books"},
    )
    _files = dg.observable_source_asset(
        name=QUESTION_FILES,
        description="The files of questions as they are now; scores of other questions are unsynced.",
        group_name="evals",
        tags={"domain": "scores"},
    )


@_folders
@with_reason
def book_folders(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.DataVersionsByPartition:
    """The digest of each folder."""
    known = set(context.instance.get_dynamic_partitions(str(books_partitions.name)))
    digests = {folder.slug: folder.digest for folder in list_books(home.library) if folder.slug in known}
    return dg.DataVersionsByPartition(digests)


@_files
@with_reason
def question_files(home: dg.ResourceParam[Home]) -> dg.DataVersion:
    """One hash over all files."""
    return dg.DataVersion(questions_version(home.settings.questions))


def new_observations(
    instance: dg.DagsterInstance, home: Home, digests: Mapping[str, str]
) -> tuple[dg.AssetObservation, ...]:
    """Return observations of changes on disk; a build and the sensor report them before they act on them."""
    observations: list[tuple[str, str | None, str]] = [(BOOK_FOLDERS, slug, digest) for slug, digest in digests.items()]
    observations.append((QUESTION_FILES, None, questions_version(home.settings.questions)))
    return tuple(
        dg.AssetObservation(asset_key=name, partition=slug, tags={_VERSION: version})
        for name, slug, version in observations
        if _observed(instance, name, slug) != version
    )


def sync_books(home: Home, instance: dg.DagsterInstance) -> tuple[str, ...]:
    """Make the partitions match the library; a removed book loses its partition and its records.

    The files on disk are recorded as observations, so that assets made from them count as synced.

    Returns:
        The library's slugs.

    Raises:
        LibraryError: the library cannot be read; nothing was changed.
    """
    digests = {folder.slug: folder.digest for folder in list_books(home.library)}
    slugs = partition_keys(digests)
    name = str(books_partitions.name)
    known = set(instance.get_dynamic_partitions(name))
    instance.add_dynamic_partitions(name, [slug for slug in slugs if slug not in known])
    gone = sorted(known - set(slugs))
    for slug in gone:
        instance.delete_dynamic_partition(name, slug)
    forget_books(home, gone)
    for observation in new_observations(instance, home, digests):
        instance.report_runless_asset_event(observation)
    return tuple(slugs)


def _observed(instance: dg.DagsterInstance, name: str, slug: str | None) -> str | None:
    record = instance.get_latest_data_version_record(dg.AssetKey(name), is_source=True, partition_key=slug)
    observation = record.asset_observation if record else None
    return observation.tags.get(_VERSION) if observation else None


@of_a_book([BOOK_FOLDERS], "markdown")
@with_reason
def books(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """The documents of one book with their metadata, and what was ignored or read with a warning."""
    folders = {folder.slug: folder for folder in list_books(home.library)}
    slug = context.partition_key
    if slug not in folders:
        raise UnknownNameError(f"book of {home.library}", slug, folders)
    models.require_ready(home, [folders[slug]])
    folder = home.book(slug)
    with kept_losses(folder, "books") as losses:
        book = read_for_index(home, folders[slug])
    write_jsonl(folder / BOOK_FILE, [book])
    keep_source(folder, folders[slug].path, folders[slug].digest)
    if book.fault:
        context.log.warning(fault_sentence(book))
    context.log.info(
        f"{slug}: {len(book.documents)} documents, {len(book.warnings)} warnings, read from {home.library}"
    )
    return materialized(
        folders[slug].digest,
        {
            "dagster/partition_row_count": len(book.documents),
            "n_documents": len(book.documents),
            "n_characters": sum(len(document.text) for document in book.documents),
            "n_ignored": len(book.ignored),
            "n_warnings": len(book.warnings) + bool(book.fault),
            "title": book.title,
            "fault": book.fault or "none",
            **losses_metadata(losses),
            "ignored": dg.MetadataValue.md("\n".join(f"- `{name}`" for name in book.ignored) or "none"),
            "warnings": dg.MetadataValue.md("\n".join(f"- {warning}" for warning in book.warnings) or "none"),
        },
    )


@of_a_book([books], "markdown")
@with_reason
def tables(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """The tables of one book as they are in the source: header, rows, caption, lines; and what `tables.toml` says."""
    folder = home.book(context.partition_key)
    (book,) = read_jsonl(folder / BOOK_FILE, Book)
    with kept_losses(folder, "tables") as losses:
        parsed = read_parsed_book(folder / BOOK_FILE)
        record_losses(parsed.losses)
        tables = parsed.tables
        missed = unmet_rules(book.table_rules, tables, home.vocabulary)
    write_jsonl(folder / TABLES_FILE, tables)
    context.log.info(f"{context.partition_key}: {len(tables)} tables")
    return of_records(
        "tables",
        tables,
        losses,
        {
            "n_source_rows": sum(len(table.rows) for table in tables),
            "n_cells": sum(len(row.cells) for table in tables for row in table.rows),
            "n_ruled": sum(table.rule is not None for table in tables),
            "n_unmet_rules": len(missed),
            "unmet_rules": dg.MetadataValue.md("\n".join(f"- {sentence}" for sentence in missed) or "none"),
            "n_captioned": sum(table.caption is not None for table in tables),
        },
    )


@of_a_book([tables], "python")
@with_reason
def table_rows(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """Each row of each table as a self-describing JSON object; where the row needs one, with its `query_must`."""
    folder = home.book(context.partition_key)
    drawn_tables = read_jsonl(folder / TABLES_FILE, Table)
    book = read_parsed_book(folder / BOOK_FILE)
    access = Access() if home.settings.tables.transformer == "rules" else models.access
    with kept_losses(folder, "table_rows") as losses:
        made = make_rows(home.settings, home.models, home.vocabulary, book, drawn_tables, access)
    rows = made.rows
    write_jsonl(folder / ROWS_FILE, rows)
    keep_table_report(folder, made.transformed)
    context.log.info(f"{context.partition_key}: {len(rows)} rows{told_work(made.transformed, 'read', 'tables')}")
    return of_records(
        "rows",
        rows,
        losses,
        {
            "n_records": sum(row.kind == "record" for row in rows),
            "n_tables": len({row.table_id for row in rows}),
            **made.numbers,
            "first_row": dg.MetadataValue.md(f"```json\n{rows[0].content}\n```" if rows else "none"),
        },
    )


@of_a_book([table_rows], "json")
@with_reason
def predicates(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """The same rows with `query_must` moved out of the JSON, and why each table is guarded or not."""
    folder = home.book(context.partition_key)
    with kept_losses(folder, "predicates") as losses:
        rows = extract_predicates(read_jsonl(folder / ROWS_FILE, Row))
        guards = table_guards(read_jsonl(folder / TABLES_FILE, Table), rows, home.vocabulary)
    write_jsonl(folder / PREDICATES_FILE, rows)
    write_jsonl(folder / GUARDS, guards)
    counts = count_guards(guards)
    guarded = [row for row in rows if row.query_must is not None]
    context.log.info(
        f"{context.partition_key}: {len(guarded)} of {len(rows)} rows have a predicate; "
        f"{counts.n_guarded} of {counts.n_tables} tables are guarded"
    )
    return of_records(
        "rows",
        rows,
        losses,
        {
            "n_guarded": len(guarded),
            "n_tables": counts.n_tables,
            "n_guarded_tables": counts.n_guarded,
            "n_guardable_tables": counts.n_guardable,
            **{f"n_{reason}_tables": counts.reasons.get(reason, 0) for reason in REASONS},
            "n_named": sum(bool(row.names) for row in rows),
            "first_predicate": dg.MetadataValue.md(f"`{guarded[0].query_must}`" if guarded else "none"),
        },
    )


@of_a_book([predicates], "python")
@with_reason
def chunks(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """The units that are embedded, indexed and returned: a chunk for each table row, and the prose around them."""
    folder = home.book(context.partition_key)
    cuts = cuts_for(home.settings, load_embedder(home.settings.embedder))
    book = read_parsed_book(folder / BOOK_FILE)
    with kept_losses(folder, "chunks") as losses:
        by_rules = chunk_book(book, read_jsonl(folder / PREDICATES_FILE, Row), cuts)
    access = Access() if home.settings.passages.enrichment == "rules" else models.access
    documents = [parsed.document for parsed in book.documents]
    made = make_chunks(home.settings, home.models, documents, by_rules, access)
    cut = made.chunks
    write_jsonl(folder / CHUNKS_FILE, cut)
    keep_passage_report(folder, made.described)
    kinds = Counter(chunk.kind for chunk in cut)
    densities = table_densities(cut)
    told = told_work(made.described, "described", "passages")
    context.log.info(f"{context.partition_key}: {len(cut)} chunks, {kinds['row']} of them rows{told}")
    return of_records(
        "chunks",
        cut,
        losses,
        {
            "n_rows": kinds["row"],
            "n_records": kinds["record"],
            "n_prose": kinds["prose"],
            "n_guarded": sum(chunk.query_must is not None for chunk in cut),
            "n_crowded_tables": sum(table.density >= MIN_DENSITY for table in densities),
            "near_duplicate_density": as_table(densities, TableDensity),
            "longest_characters": max((len(chunk.search_text) for chunk in cut), default=0),
            **made.numbers,
        },
    )


@of_a_book([chunks], "numpy", AGAIN)
@with_reason
def embeddings(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """A vector for each chunk, kept by (model, text hash): only what the store lacks is embedded."""
    folder = home.book(context.partition_key)
    book_chunks = read_jsonl(folder / CHUNKS_FILE, Chunk)
    embedder = models.embedder(home.settings.embedder)
    store = EmbeddingStore(home.embeddings, embedder.identity)
    cost = cost_of(store, embedder, book_chunks)
    cost.require_within(home.settings.budget_usd)
    before = models.embedded
    with models.embedding(last=context.retry_number >= AGAIN.max_retries):
        tally = embed_chunks(store, embedder, book_chunks, folder / "embedded.txt", logged_progress(context.log.info))
    enter_book(folder, home.vocabulary)
    context.log.info(
        f"{context.partition_key}: {tally.n_embedded} embedded, {tally.n_reused} reused, {tally.n_deleted} deleted; "
        "readers find it once the library is indexed and live"
    )
    model = f"{embedder.identity.name} {embedder.identity.version}"
    return materialized(
        content_version([model, *map(embedding_key, book_chunks)]),
        {
            "n_chunks": len(book_chunks),
            "dagster/partition_row_count": len(book_chunks),
            "n_embedded": tally.n_embedded,
            "n_reused": tally.n_reused,
            "n_deleted": tally.n_deleted,
            "n_tokens": cost.tokens,
            "usd": cost.usd,
            "n_model_tokens": models.embedded - before,
            "model_usd": cost.price.of(Usage(models.embedded - before)) if cost.price else 0.0,
            "dimensions": embedder.identity.dimensions,
            "embedder": model,
        },
    )
