"""Sensors and schedules: changed books and questions, and the nightly build."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import dagster as dg
from dagster._core.storage.dagster_run import IN_PROGRESS_RUN_STATUSES
from pydantic import ValidationError

from evals.assets import strategies_partitions
from evals.gate import RULES
from evals.questions.question_sets import questions_version
from pipeline.building.book_records import book_entries
from pipeline.building.library_records import made_of
from pipeline.defs.books import books_partitions, forget_books, new_observations, partition_keys, sync_books
from pipeline.defs.ingest_checks import BOOK_CHECK_KEYS
from pipeline.defs.job_runs import cancel_killed
from pipeline.defs.resources import BOOK_ASSETS, LIBRARY_ASSETS, build_library, evaluate, index_book, index_library
from retrieval.errors import LibraryError
from retrieval.files.locks import HomeBusyError, HomeUnwritableError, write_lock
from retrieval.files.records import dump_record, parse_record
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from retrieval.settings import Settings

ASKED_BY = "querymust/asked_by"
DIGEST = "querymust/digest"
"""Tags of the runs that the sensor requests: the requester, and the digest of the book at the time."""

CANDIDATE = dg.AssetKey("candidate_index")

RETRY_SECONDS = 600
"""Seconds before a failed book is run again; a changed book is run at once."""

ALL_STRATEGIES = {
    "dagster/asset_partition_range_start": strategies_partitions.get_partition_keys()[0],
    "dagster/asset_partition_range_end": strategies_partitions.get_partition_keys()[-1],
}

live_follows_books = dg.AutomationConditionSensorDefinition(
    "live_follows_books",
    target=dg.AssetSelection.all() | dg.AssetSelection.all_asset_checks(),
    description=(
        "Checks, indexes, scores and promotes the library after books were indexed: each asset and check by its own "
        "condition. What a failed check stops is not requested again until something upstream changes."
    ),
    tags={"domain": "live"},
    run_tags={ASKED_BY: "live_follows_books"},
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The state of the sensor between ticks. Whether a book is up to date is read from its records."""

    left: tuple[str, ...]
    """Removed books, until the library is indexed without them."""
    questions: str
    """Version of the last scored questions."""

    @classmethod
    def of(cls, cursor: str | None, questions: str) -> "Seen":
        """Return the state in a cursor; without one, or with one of an older version, `questions` count as scored."""
        try:
            return parse_record(cursor or "", cls)
        except ValidationError:
            return cls((), questions)


@dg.sensor(
    jobs=[index_book, index_library, evaluate],
    minimum_interval_seconds=30,
    description=(
        "Indexes new and changed books, reindexes the library if books were removed, and rescores the candidate "
        "if the questions changed. Books that a build indexed are up to date and are skipped."
    ),
    tags={"domain": "books"},
)
def new_or_changed_books(
    context: dg.SensorEvaluationContext, home: dg.ResourceParam[Home]
) -> dg.SensorResult | dg.SkipReason:
    """A run for each book whose digest is new; a partition less for each book that went, then a new snapshot.

    A library that cannot be read is a reason to wait, never a reason to forget its books: a folder that is not
    mounted looks like one that was emptied.
    """
    cancel_killed(home, context.instance)
    try:
        digests = {folder.slug: folder.digest for folder in list_books(home.library)}
    except LibraryError as error:
        return dg.SkipReason(str(error))
    known = set(context.instance.get_dynamic_partitions(str(books_partitions.name)))
    gone = sorted(known - set(digests))
    if gone:
        try:
            with write_lock(home.root):  # a run may be reading their records
                forget_books(home, gone)
        except (HomeBusyError, HomeUnwritableError) as error:
            return dg.SkipReason(f"{', '.join(gone)}: the records are removed later, {error}")
    indexed = {slug: entry.digest for slug, entry in book_entries(home).items() if slug in known}
    states = {
        slug: "indexed" if indexed.get(slug) == digest else _state(context.instance, slug, digest)
        for slug, digest in digests.items()
    }
    runs = [_index(slug, digests[slug]) for slug, state in states.items() if state == "stale"]
    questions = questions_version(home.settings.questions)
    seen = Seen.of(context.cursor, questions)
    left = tuple(sorted({*gone, *seen.left} - set(digests)))
    if left and not gone and _is_candidate_of(context.instance, home, known):
        left = ()  # live_follows_books was there first
    if all(state == "indexed" for state in states.values()) and not (
        left and _is_candidate_under_way(context.instance)
    ):
        # A new book without chunks would fail the snapshot, so what is of the whole library waits for all books.
        runs += _library_runs(left, is_scored=seen.questions == questions)
        seen = Seen((), questions)
    else:
        seen = Seen(left, seen.questions)
    waiting = [slug for slug, state in states.items() if state == "under way"]
    idle = f"waiting for {', '.join(waiting)}" if waiting else f"{len(states)} books are up to date"
    return dg.SensorResult(
        run_requests=runs,
        skip_reason=None if runs else idle,
        dynamic_partitions_requests=[
            books_partitions.build_add_request(partition_keys(sorted(set(digests) - known))),
            books_partitions.build_delete_request(gone),
        ],
        asset_events=new_observations(context.instance, home, digests),
        cursor=dump_record(seen).decode(),
    )


def _index(slug: str, digest: str) -> dg.RunRequest:
    # Without a run key: it is used once for ever, and a book may change back.
    return dg.RunRequest(
        partition_key=slug, job_name=index_book.name, tags={ASKED_BY: new_or_changed_books.name, DIGEST: digest}
    )


def _library_runs(left: tuple[str, ...], *, is_scored: bool) -> list[dg.RunRequest]:
    tags = {ASKED_BY: new_or_changed_books.name}
    if left:
        return [dg.RunRequest(job_name=index_library.name, tags=tags)]
    return [] if is_scored else [dg.RunRequest(job_name=evaluate.name, tags=tags | ALL_STRATEGIES)]


def _is_candidate_of(instance: dg.DagsterInstance, home: Home, slugs: Iterable[str]) -> bool:
    """Whether the newest snapshot is made of the current records of these books."""
    event = instance.get_latest_materialization_event(CANDIDATE)
    metadata = event.asset_materialization.metadata if event and event.asset_materialization else {}
    return metadata.get("made_of") == made_of(home, slugs)


def _is_candidate_under_way(instance: dg.DagsterInstance) -> bool:
    """Whether an unfinished run will make a snapshot, so that one of the same books need not be requested again."""
    runs = instance.get_runs(dg.RunsFilter(statuses=[*IN_PROGRESS_RUN_STATUSES]))
    whole = {index_library.name, build_library.name}
    return any(CANDIDATE in run.asset_selection if run.asset_selection else run.job_name in whole for run in runs)


def _state(instance: dg.DagsterInstance, slug: str, digest: str) -> Literal["under way", "stale"]:
    """Return the state of a book after the sensor's last run of it; one that failed recently counts as under way."""
    tags = {ASKED_BY: new_or_changed_books.name, "dagster/partition": slug}
    records = instance.get_run_records(dg.RunsFilter(job_name=index_book.name, tags=tags), limit=1)
    if not records or records[0].dagster_run.tags.get(DIGEST) != digest:
        return "stale"
    run = records[0].dagster_run
    if not run.is_finished:
        return "under way"
    if run.is_success:
        return "stale"
    ended = records[0].end_time or records[0].update_timestamp.timestamp()
    return "under way" if time.time() - ended < RETRY_SECONDS else "stale"


NAME = "nightly_embedding"
NIGHT = "querymust/night"
"""Tag of all runs of one night."""

LAST = {"dagster/priority": "-1"}
"""Tags that make the run of the library wait until its books are done."""


OTHER_CHECK_KEYS = tuple(dg.AssetCheckKey(dg.AssetKey(rule.asset), rule.name) for rule in RULES)


def nightly_embedding(home: Path) -> dg.ScheduleDefinition:
    """Return the schedule at the time and in the time zone of the settings of the home at `home`."""
    settings = Settings.read(home)
    hour, minute = settings.nightly.split(":")
    return dg.ScheduleDefinition(
        name=NAME,
        job=build_library,
        cron_schedule=f"{int(minute)} {int(hour)} * * *",
        execution_timezone=settings.timezone,
        execution_fn=partial(_runs, home=Home.at(home)),
        description=(
            f"At {settings.nightly} {settings.timezone}: a run for each book, which embeds what the store lacks, then "
            f"one run that checks, indexes, scores and promotes the library. They share the tag {NIGHT}."
        ),
        tags={"domain": "live"},
    )


def _runs(context: dg.ScheduleEvaluationContext, home: Home) -> Iterator[dg.RunRequest | dg.SkipReason]:
    try:
        slugs = _books_of_tonight(home, context.instance)
    except LibraryError as error:
        yield dg.SkipReason(str(error))
        return
    night = f"{context.scheduled_execution_time:%Y-%m-%d}"
    tags = {ASKED_BY: NAME, NIGHT: night}
    for slug in slugs:
        # `book` keeps a book called `library` from taking the key of the last run, which Dagster would then leave out.
        yield dg.RunRequest(
            run_key=f"{night} book {slug}",
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


def _books_of_tonight(home: Home, instance: dg.DagsterInstance) -> Sequence[str]:
    """Let the partitions and records follow the library, as a build does, and return its books.

    If a run has the home, the books that are partitions and still in the library; the next night catches up.

    Raises:
        LibraryError: the library cannot be read, or has no book; nothing was changed.
    """
    try:
        with write_lock(home.root):
            return sync_books(home, instance)
    except (HomeBusyError, HomeUnwritableError):
        known = instance.get_dynamic_partitions(str(books_partitions.name))
        return sorted({folder.slug for folder in list_books(home.library)} & set(known))
