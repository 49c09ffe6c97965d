"""The asset `books` with its partitions, and the observable sources that the library and its questions are."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg

from evals.asset_options import QUESTION_FILES, with_reason
from evals.questions.question_sets import questions_version
from pipeline.building.book_records import fault_sentence, keep_source, kept_losses, read_for_index
from pipeline.building.hosted_models import HostedModels
from pipeline.building.materialization import losses_metadata, materialized
from retrieval.errors import LibraryError, UnknownNameError
from retrieval.files.records import write_jsonl
from retrieval.home import Home, is_book_key
from retrieval.ingest.library.library import list_books

books_partitions = dg.DynamicPartitionsDefinition(name="books")
OF_A_BOOK: Mapping[str, Any] = {
    "partitions_def": books_partitions,
    "group_name": "ingest",
    "owners": ["team:search"],
    "tags": {"domain": "books"},
}
"""What is said of every asset that is made book by book."""


def partition_keys(slugs: Iterable[str]) -> list[str]:
    """The slugs as partition keys. Dagster checks none, and a key becomes a folder's name.

    Raises:
        LibraryError: a slug that could leave its folder or break a command line.
    """
    keys = list(slugs)
    for key in keys:
        if not is_book_key(key):
            raise LibraryError(f"{key!r} cannot be a book's key; use lower-case letters, digits and dashes")
    return keys


def forget_books(home: Home, keys: Iterable[str]) -> None:
    """Delete the records of books that went; a key that no book can have was added by hand, and has none."""
    for key in filter(is_book_key, keys):
        home.forget(key)


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
    """What is on disk and was not observed so yet; a build and the sensor report it before they act on it.

    Args:
        instance: whose history is asked.
        home: whose questions count.
        digests: of the folders of the books, by slug.
    """
    observations: list[tuple[str, str | None, str]] = [(BOOK_FOLDERS, slug, digest) for slug, digest in digests.items()]
    observations.append((QUESTION_FILES, None, questions_version(home.settings.questions)))
    return tuple(
        dg.AssetObservation(asset_key=name, partition=slug, tags={_VERSION: version})
        for name, slug, version in observations
        if _observed(instance, name, slug) != version
    )


def _observed(instance: dg.DagsterInstance, name: str, slug: str | None) -> str | None:
    record = instance.get_latest_data_version_record(dg.AssetKey(name), is_source=True, partition_key=slug)
    observation = record.asset_observation if record else None
    return observation.tags.get(_VERSION) if observation else None


@dg.asset(deps=[BOOK_FOLDERS], kinds={"markdown"}, **OF_A_BOOK)
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
