"""index_books: one run in which several processes index books, started by the executor that the settings name."""

from collections.abc import Callable
from contextlib import nullcontext

import dagster as dg

from pipeline.building.book_records import book_entries
from pipeline.defs.automation import ASKED_BY
from pipeline.defs.books import books_partitions
from pipeline.defs.resources import default_home, index_book
from pipeline.spread.lane import LaneOrder, executor_of, index_books, largest_first
from retrieval.files.locks import among_books
from retrieval.files.records import parse_record
from retrieval.home import Home
from retrieval.ingest.library.library import list_books

JOB = "index_books"


class Lane(dg.Config):
    """What a lane does: without an order, every book that is new, or not as it was when it was indexed."""

    order: str = ""
    """A `LaneOrder` as JSON, of a build that has the home."""


def lane_names(lanes: int) -> tuple[str, ...]:
    """What the steps of the job are called."""
    return tuple(f"lane_{number}" for number in range(1, lanes + 1))


def index_books_job(executor: str, lanes: int, definitions: Callable[[], dg.Definitions]) -> dg.JobDefinition:
    """The job, with a step for each process.

    Args:
        executor: as the settings name it.
        lanes: how many processes there are.
        definitions: of the code location, whose job `index_book` is run for each book.

    Raises:
        ExecutorMissingError: the executor's package is not installed.
    """
    steps = [_lane(name, lanes, definitions) for name in lane_names(lanes)]

    @dg.graph(name=JOB)
    def all_lanes() -> None:
        for step in steps:
            step()

    return all_lanes.to_job(
        executor_def=executor_of(executor, lanes),
        description=(
            f"Index the books that changed, {lanes} at once, by the executor of the settings ({executor}): a run of "
            "index_book for each. Readers see nothing of it yet."
        ),
        tags={"domain": "books"},
    )


def _lane(name: str, lanes: int, definitions: Callable[[], dg.Definitions]) -> dg.OpDefinition:
    @dg.op(
        name=name, description="Takes one book after the other that no other lane has taken.", out=dg.Out(dg.Nothing)
    )
    def lane(context: dg.OpExecutionContext, config: Lane) -> None:
        order = parse_record(config.order, LaneOrder) if config.order else _changed(context, lanes)
        job = definitions().resolve_job_def(index_book.name)
        told = context.log.info
        # A build has the home, and its lanes are in it for that build; others take their turn.
        with nullcontext() if config.order else among_books(order.home.root, told):
            failed = index_books(order, job, context.instance, told)
        if failed:
            raise dg.Failure(f"not indexed: {', '.join(failed)}; the run of each says why", allow_retries=False)

    return lane


def _changed(context: dg.OpExecutionContext, lanes: int) -> LaneOrder:
    home = Home.at(default_home())
    known = set(context.instance.get_dynamic_partitions(str(books_partitions.name)))
    entries = book_entries(home)
    changed = [
        folder
        for folder in list_books(home.library)
        if folder.slug in known and (folder.slug not in entries or entries[folder.slug].digest != folder.digest)
    ]
    tags = {ASKED_BY: JOB, "querymust/lanes": context.run_id}
    return LaneOrder(home, largest_first(changed), context.run_id, tags, lanes)
