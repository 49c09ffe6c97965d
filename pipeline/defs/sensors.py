"""Sees books that are new, changed or gone."""

import json

import dagster as dg

from pipeline.defs.jobs import index_book, index_library
from pipeline.defs.partitions import books_partitions, partition_keys
from retrieval.errors import LibraryError
from retrieval.home import Home, is_book_key
from retrieval.ingest.library import list_books


@dg.sensor(jobs=[index_book, index_library], minimum_interval_seconds=30)
def new_or_changed_books(
    context: dg.SensorEvaluationContext, home: dg.ResourceParam[Home]
) -> dg.SensorResult | dg.SkipReason:
    """A run for each book whose digest is new; a partition less, and a new snapshot, for each book that went.

    A library that cannot be read is a reason to wait, never a reason to forget its books: a folder that is not
    mounted looks like one that was emptied.
    """
    try:
        found = {folder.slug: folder.digest for folder in list_books(home.library)}
    except LibraryError as error:
        return dg.SkipReason(str(error))
    known = set(context.instance.get_dynamic_partitions(str(books_partitions.name)))
    new, gone = sorted(set(found) - known), sorted(known - set(found))
    for slug in filter(is_book_key, gone):  # somebody may have added any key by hand
        home.forget(slug)
    # The cursor and not a run key: a run key is used once for ever, and a book may change back.
    seen = json.loads(context.cursor) if context.cursor else {}
    changed = [slug for slug, digest in found.items() if seen.get(slug) != digest]
    runs = [dg.RunRequest(partition_key=slug, job_name=index_book.name) for slug in changed]
    if gone:
        runs.append(dg.RunRequest(job_name=index_library.name))
    return dg.SensorResult(
        run_requests=runs,
        dynamic_partitions_requests=[
            books_partitions.build_add_request(partition_keys(new)),
            books_partitions.build_delete_request(gone),
        ],
        cursor=json.dumps(found),
    )
