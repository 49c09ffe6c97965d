"""A book as it was read: the one asset that looks into the library's folder."""

import dagster as dg

from evals.assets import with_reason
from pipeline.building.book_entry import fault_sentence, keep_source, read_for_index
from pipeline.building.hosted_models import HostedModels
from pipeline.building.materialization import losses_metadata, materialized
from pipeline.building.reading_losses import kept_losses
from pipeline.defs.partitions import books_partitions
from pipeline.defs.sources import BOOK_FOLDERS
from retrieval.errors import UnknownNameError
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from retrieval.records import write_jsonl


@dg.asset(
    deps=[BOOK_FOLDERS],
    partitions_def=books_partitions,
    group_name="ingest",
    kinds={"markdown"},
    owners=["team:search"],
    tags={"domain": "books"},
)
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
    write_jsonl(folder / "book.jsonl", [book])
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
            "n_warnings": len(book.warnings),
            "title": book.title,
            "fault": book.fault or "none",
            **losses_metadata(losses),
            "ignored": dg.MetadataValue.md("\n".join(f"- `{name}`" for name in book.ignored) or "none"),
            "warnings": dg.MetadataValue.md("\n".join(f"- {warning}" for warning in book.warnings) or "none"),
        },
    )
