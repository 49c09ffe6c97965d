"""tables → table_rows → predicates: what the tables of one book mean."""

import dagster as dg

from evals.asset_options import columns_of, with_reason
from pipeline.building.book_records import GUARDS, kept_losses
from pipeline.building.hosted_models import HostedModels
from pipeline.building.materialization import content_version, losses_metadata, materialized
from pipeline.building.model_tables import keep_report, make_rows, told
from pipeline.defs.books import OF_A_BOOK
from retrieval.files.records import dump_record, read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.ingest.guarding import REASONS, count_guards, table_guards, unmet
from retrieval.ingest.losses import record_losses
from retrieval.ingest.parsed_book import read_parsed_book
from retrieval.ingest.tables.rows import extract_predicates
from retrieval.ingest.tables.table import Table
from retrieval.models.access import Access
from retrieval.types import Book, Row


@dg.asset(deps=["books"], kinds={"markdown"}, **OF_A_BOOK)
@with_reason
def tables(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """The tables of one book as they are in the source: header, rows, caption, lines; and what `tables.toml` says."""
    folder = home.book(context.partition_key)
    (book,) = read_jsonl(folder / "book.jsonl", Book)
    with kept_losses(folder, "tables") as losses:
        parsed = read_parsed_book(folder / "book.jsonl")
        record_losses(parsed.losses)
        tables = parsed.tables
        missed = unmet(book.table_rules, tables, home.vocabulary)
    write_jsonl(folder / "tables.jsonl", tables)
    context.log.info(f"{context.partition_key}: {len(tables)} tables")
    return materialized(
        content_version(map(dump_record, tables)),
        {
            "n_tables": len(tables),
            "dagster/partition_row_count": len(tables),
            "dagster/column_schema": columns_of(Table),
            "n_source_rows": sum(len(table.rows) for table in tables),
            "n_cells": sum(len(row.cells) for table in tables for row in table.rows),
            "n_ruled": sum(table.rule is not None for table in tables),
            "n_unmet_rules": len(missed),
            "unmet_rules": dg.MetadataValue.md("\n".join(f"- {sentence}" for sentence in missed) or "none"),
            "n_captioned": sum(table.caption is not None for table in tables),
            **losses_metadata(losses),
        },
    )


@dg.asset(deps=[tables], kinds={"python"}, **OF_A_BOOK)
@with_reason
def table_rows(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """Each row of each table as a self-describing JSON object; where the row needs one, with its `query_must`."""
    folder = home.book(context.partition_key)
    result = read_jsonl(folder / "tables.jsonl", Table)
    book = read_parsed_book(folder / "book.jsonl")
    access = Access() if home.settings.tables.transformer == "rules" else models.access
    with kept_losses(folder, "table_rows") as losses:
        made = make_rows(home.settings, home.models, home.vocabulary, book, result, access)
    rows = made.rows
    write_jsonl(folder / "table_rows.jsonl", rows)
    keep_report(folder, made.transformed)
    context.log.info(f"{context.partition_key}: {len(rows)} rows{told(made.transformed)}")
    return materialized(
        content_version(map(dump_record, rows)),
        {
            "n_rows": len(rows),
            "dagster/partition_row_count": len(rows),
            "dagster/column_schema": columns_of(Row),
            "n_records": sum(row.kind == "record" for row in rows),
            "n_tables": len({row.table_id for row in rows}),
            **made.numbers,
            **losses_metadata(losses),
            "first_row": dg.MetadataValue.md(f"```json\n{rows[0].content}\n```" if rows else "none"),
        },
    )


@dg.asset(deps=[table_rows], kinds={"json"}, **OF_A_BOOK)
@with_reason
def predicates(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """The same rows with `query_must` moved out of the JSON, and why each table is guarded or not."""
    folder = home.book(context.partition_key)
    with kept_losses(folder, "predicates") as losses:
        rows = extract_predicates(read_jsonl(folder / "table_rows.jsonl", Row))
        guards = table_guards(read_jsonl(folder / "tables.jsonl", Table), rows, home.vocabulary)
    write_jsonl(folder / "predicates.jsonl", rows)
    write_jsonl(folder / GUARDS, guards)
    counts = count_guards(guards)
    guarded = [row for row in rows if row.query_must is not None]
    context.log.info(
        f"{context.partition_key}: {len(guarded)} of {len(rows)} rows have a predicate; "
        f"{counts.n_guarded} of {counts.n_tables} tables are guarded"
    )
    return materialized(
        content_version(map(dump_record, rows)),
        {
            "n_rows": len(rows),
            "dagster/partition_row_count": len(rows),
            "dagster/column_schema": columns_of(Row),
            "n_guarded": len(guarded),
            "n_tables": counts.n_tables,
            "n_guarded_tables": counts.n_guarded,
            "n_guardable_tables": counts.n_guardable,
            **{f"n_{reason}_tables": counts.reasons.get(reason, 0) for reason in REASONS},
            "n_named": sum(bool(row.names) for row in rows),
            **losses_metadata(losses),
            "first_predicate": dg.MetadataValue.md(f"`{guarded[0].query_must}`" if guarded else "none"),
        },
    )
