"""The night's build: a new embedder, a repaired store or a changed book is live in the morning."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from evals.gate import RULES
from pipeline.defs.ingest_checks import BOOK_CHECK_KEYS
from pipeline.defs.jobs import BOOK_ASSETS, LIBRARY_ASSETS, build_library
from pipeline.defs.partitions import books_partitions
from pipeline.defs.sensors import ASKED_BY
from retrieval.settings import Settings

NAME = "nightly_embedding"
NIGHT = "querymust/night"
"""Tag of all runs of one night."""

LAST = {"dagster/priority": "-1"}
"""The library waits until its books are done."""


OTHER_CHECK_KEYS = tuple(dg.AssetCheckKey(dg.AssetKey(rule.asset), rule.name) for rule in RULES)


def nightly_embedding(home: Path) -> dg.ScheduleDefinition:
    """The schedule at the hour and in the zone of the settings of the home at `home`."""
    settings = Settings.read(home)
    hour, minute = settings.nightly.split(":")
    return dg.ScheduleDefinition(
        name=NAME,
        job=build_library,
        cron_schedule=f"{int(minute)} {int(hour)} * * *",
        execution_timezone=settings.timezone,
        execution_fn=_runs,
        description=(
            f"At {settings.nightly} {settings.timezone}: a run for each book, which embeds what the store lacks, then "
            f"one run that checks, indexes, scores and promotes the library. They share the tag {NIGHT}."
        ),
        tags={"domain": "live"},
    )


def _runs(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    slugs = sorted(context.instance.get_dynamic_partitions(str(books_partitions.name)))
    if not slugs:
        yield dg.SkipReason("no book is a partition yet; switch on new_or_changed_books, or run: querymust build")
        return
    night = f"{context.scheduled_execution_time:%Y-%m-%d}"
    tags = {ASKED_BY: NAME, NIGHT: night}
    for slug in slugs:
        yield dg.RunRequest(
            run_key=f"{night} {slug}",
            partition_key=slug,
            asset_selection=[dg.AssetKey(name) for name in BOOK_ASSETS],
            asset_check_keys=[],
            tags=tags,
        )
    yield dg.RunRequest(
        run_key=f"{night} library",
        asset_selection=[dg.AssetKey(name) for name in LIBRARY_ASSETS],
        asset_check_keys=[*BOOK_CHECK_KEYS, *OTHER_CHECK_KEYS],
        tags=tags | LAST,
    )
