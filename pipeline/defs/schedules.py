"""Embeds every book again at night: a new embedder or a repaired store is picked up, the rest is reused."""

from collections.abc import Iterator

import dagster as dg

from pipeline.defs.jobs import index_book
from pipeline.defs.partitions import books_partitions


@dg.schedule(job=index_book, cron_schedule="0 3 * * *", execution_timezone="UTC")
def nightly_embedding(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
    """One run for each book at 03:00 UTC."""
    for slug in sorted(context.instance.get_dynamic_partitions(str(books_partitions.name))):
        yield dg.RunRequest(partition_key=slug)
