"""What the library and its questions are on disk: nothing here is made, but the graph shows what is behind it."""

import warnings
from collections.abc import Mapping

import dagster as dg

from evals.assets import QUESTION_FILES, with_reason
from evals.questions.question_sets import questions_version
from pipeline.defs.partitions import books_partitions
from retrieval.home import Home
from retrieval.ingest.library.library import list_books

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
    found: list[tuple[str, str | None, str]] = [(BOOK_FOLDERS, slug, digest) for slug, digest in digests.items()]
    found.append((QUESTION_FILES, None, questions_version(home.settings.questions)))
    return tuple(
        dg.AssetObservation(asset_key=name, partition=slug, tags={_VERSION: version})
        for name, slug, version in found
        if _observed(instance, name, slug) != version
    )


def _observed(instance: dg.DagsterInstance, name: str, slug: str | None) -> str | None:
    record = instance.get_latest_data_version_record(dg.AssetKey(name), is_source=True, partition_key=slug)
    observation = record.asset_observation if record else None
    return observation.tags.get(_VERSION) if observation else None
