"""Sees books that are new, changed or gone."""

import json
import time
from typing import Literal

import dagster as dg

from pipeline.defs.jobs import index_book, index_library
from pipeline.defs.partitions import books_partitions, forget_books, partition_keys
from retrieval.errors import LibraryError
from retrieval.home import Home
from retrieval.ingest.library.library import list_books

ASKED_BY = "querymust/asked_by"
DIGEST = "querymust/digest"
"""Tags of the runs that the sensor asks for: who asked, and the digest of the book as it then was."""

RETRY_SECONDS = 600
"""How long a book that failed is left alone; a changed book is run at once."""


@dg.sensor(jobs=[index_book, index_library], minimum_interval_seconds=30)
def new_or_changed_books(
    context: dg.SensorEvaluationContext, home: dg.ResourceParam[Home]
) -> dg.SensorResult | dg.SkipReason:
    """A run for each book whose digest is new; a partition less for each book that went, then a new snapshot.

    A library that cannot be read is a reason to wait, never a reason to forget its books: a folder that is not
    mounted looks like one that was emptied.
    """
    try:
        found = {folder.slug: folder.digest for folder in list_books(home.library)}
    except LibraryError as error:
        return dg.SkipReason(str(error))
    known = set(context.instance.get_dynamic_partitions(str(books_partitions.name)))
    gone = sorted(known - set(found))
    forget_books(home, gone)
    # The digests of the books whose records are in step. A run key would not do: it is used once for ever, and a book
    # may change back. A book that went is kept, without a digest, until the library was indexed without it.
    seen = json.loads(context.cursor) if context.cursor else {}
    states = {
        slug: "indexed" if slug in known and seen.get(slug) == digest else _state(context.instance, home, slug, digest)
        for slug, digest in found.items()
    }
    cursor = {slug: digest for slug, digest in found.items() if states[slug] == "indexed"}
    runs = [
        dg.RunRequest(
            partition_key=slug, job_name=index_book.name, tags={ASKED_BY: new_or_changed_books.name, DIGEST: digest}
        )
        for slug, digest in found.items()
        if states[slug] == "stale"
    ]
    left = dict.fromkeys({*gone, *seen} - set(found), "")
    if len(cursor) < len(found):
        cursor |= left  # a new book without chunks would fail the snapshot
    elif left:
        runs.append(dg.RunRequest(job_name=index_library.name))
    return dg.SensorResult(
        run_requests=runs,
        dynamic_partitions_requests=[
            books_partitions.build_add_request(partition_keys(sorted(set(found) - known))),
            books_partitions.build_delete_request(gone),
        ],
        cursor=json.dumps(cursor),
    )


def _state(
    instance: dg.DagsterInstance, home: Home, slug: str, digest: str
) -> Literal["indexed", "under way", "stale"]:
    """How the last run that the sensor asked for left a book; one that failed a short while ago counts as under way."""
    tags = {ASKED_BY: new_or_changed_books.name, "dagster/partition": slug}
    records = instance.get_run_records(dg.RunsFilter(job_name=index_book.name, tags=tags), limit=1)
    if not records or records[0].dagster_run.tags.get(DIGEST) != digest:
        return "stale"
    run = records[0].dagster_run
    if not run.is_finished:
        return "under way"
    if run.is_success:
        return "indexed" if (home.book(slug) / "embedded.txt").is_file() else "stale"
    ended = records[0].end_time or records[0].update_timestamp.timestamp()
    return "under way" if time.time() - ended < RETRY_SECONDS else "stale"
