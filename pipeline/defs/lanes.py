"""The processes that index books: executors, and the job `index_books`, whose lanes are processes."""

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import dagster as dg

from pipeline.building.book_records import book_entries
from pipeline.building.hosted_models import HostedModels
from pipeline.defs.automation import ASKED_BY
from pipeline.defs.books import books_partitions, partition_keys
from pipeline.defs.job_runs import run_job
from pipeline.defs.resources import default_home, index_book
from retrieval.errors import RetrievalError
from retrieval.files.locks import Holder, alive, among_books, book_turn, book_turn_now, holder
from retrieval.files.records import parse_record
from retrieval.files.versions import install
from retrieval.home import Home
from retrieval.ingest.library.library import BookFolder, book_files, list_books
from retrieval.models.access import Access, Limits
from retrieval.settings import DASK, DASK_AT, IN_PROCESS, MULTIPROCESS


@dataclass(frozen=True, slots=True)
class LaneOrder:
    """The instructions for all lanes of one run."""

    home: Home
    books: tuple[str, ...]
    """Slugs, in the order in which they are started."""
    build: str
    """Id of the build of these books: a book that one lane has done for it is skipped by the others."""
    tags: dict[str, str]
    """Tags of the run of each book."""
    lanes: int
    holder: Holder | None = None
    """Holder of the home if lanes work for a build: they end as soon as it has another holder or none."""


def largest_first(folders: Sequence[BookFolder]) -> tuple[str, ...]:
    """Return the slugs of books by descending size: short ones start last, so that no lane waits long for another."""
    sizes = {}
    for folder in folders:
        alone = folder.path.is_file()
        files = [folder.path] if alone else book_files(folder.path, folder.library).markdown
        sizes[folder.slug] = sum(path.stat().st_size for path in files)
    return tuple(sorted(sizes, key=lambda slug: (-sizes[slug], slug)))


def index_books(
    order: LaneOrder, job: dg.JobDefinition, instance: dg.DagsterInstance, tell: Callable[[str], None]
) -> list[str]:
    """Index the books that no other lane has taken or done; return those that failed.

    A second pass waits for the books that others have taken: what a killed lane leaves unfinished is done here.
    """
    models = HostedModels(lambda: _share(Access.of_environment(), order.lanes))
    failed: list[str] = []
    for turn_of in (book_turn_now, book_turn):
        for slug in order.books:
            if order.holder is not None and holder(order.home.root) != order.holder:
                return failed  # the build was stopped, and another one may be at work
            with turn_of(order.home.root, slug) as turn:
                if turn is None or turn.was_done_by(order.build):
                    continue
                tell(slug)
                if not run_job(job, instance, order.home, models, order.tags, partition_key=slug).success:
                    failed.append(slug)
                turn.mark_done_by(order.build)
    return failed


def _share(access: Access, lanes: int) -> Access:
    """Return the access with one lane's share of the limits, which apply to all lanes together."""
    limits = access.limits
    per_minute = limits.tokens_per_minute and max(1, limits.tokens_per_minute // lanes)
    return Access(access.key, access.address, Limits(max(1, limits.concurrency // lanes), per_minute))


class ExecutorMissingError(RetrievalError):
    """The settings name an executor whose package is not installed; the message says how to."""


def executor_of(name: str, lanes: int) -> dg.ExecutorDefinition:
    """Return the executor that the settings name, for at most `lanes` processes at once.

    Raises:
        ExecutorMissingError: it is Dask's, and dagster-dask is not installed.
    """
    if name == IN_PROCESS:
        return dg.in_process_executor
    if name == MULTIPROCESS:
        return dg.multiprocess_executor.configured({"max_concurrent": lanes})
    try:
        from pipeline.building.dask_executor import dask_by_run
    except ModuleNotFoundError as error:
        raise ExecutorMissingError(
            f"`executor` is {name!r}, but {error.name} is not installed; {install('dask')}, or use {MULTIPROCESS}"
        ) from error
    if name == DASK:
        # Without pages of its own, and without warnings: it cannot weigh what Dagster answers.
        quiet = {"dashboard_address": None, "silence_logs": logging.ERROR}
        return dask_by_run("local", {"host": "127.0.0.1", "n_workers": lanes, **quiet})
    return dask_by_run("existing", {"address": name.removeprefix(DASK_AT)})


JOB = "index_books"


class Lane(dg.Config):
    """What a lane does: without an order, every book that is new, or not as it was when it was indexed."""

    order: str = ""
    """A `LaneOrder` as JSON, of a build that has the home."""


def lane_names(lanes: int) -> tuple[str, ...]:
    """Return the names of the steps of the job."""
    return tuple(f"lane_{number}" for number in range(1, lanes + 1))


def index_books_job(executor: str, lanes: int, definitions: Callable[[], dg.Definitions]) -> dg.JobDefinition:
    """Return the job with a step for each process.

    Args:
        definitions: definitions of the code location, whose job `index_book` is run for each book.

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
            f"Index the books that changed, {lanes} at once, with the executor of the settings ({executor}): a run of "
            "index_book for each. Readers do not see it yet."
        ),
        tags={"domain": "books"},
    )


def _lane(name: str, lanes: int, definitions: Callable[[], dg.Definitions]) -> dg.OpDefinition:
    @dg.op(
        name=name, description="Takes books that no other lane has taken, one after another.", out=dg.Out(dg.Nothing)
    )
    def lane(context: dg.OpExecutionContext, config: Lane) -> None:
        order = parse_record(config.order, LaneOrder) if config.order else _changed(context, lanes)
        job = definitions().resolve_job_def(index_book.name)
        told = context.log.info
        # A build has the home, and its lanes are in it for that build; others take their turn.
        turn = nullcontext() if config.order else among_books(order.home.root, told)
        with alive(order.home.root, context.run_id), turn:
            failed = index_books(order, job, context.instance, told)
        if failed:
            raise dg.Failure(f"not indexed: {', '.join(failed)}; the run of each shows why", allow_retries=False)

    return lane


def _changed(context: dg.OpExecutionContext, lanes: int) -> LaneOrder:
    home = Home.at(default_home())
    folders = list_books(home.library)
    context.instance.add_dynamic_partitions(
        str(books_partitions.name), partition_keys(folder.slug for folder in folders)
    )
    entries = book_entries(home)
    changed = [
        folder for folder in folders if folder.slug not in entries or entries[folder.slug].digest != folder.digest
    ]
    context.log.info(f"{len(changed)} of {len(folders)} books are new or changed")
    tags = {ASKED_BY: JOB, "querymust/lanes": context.run_id}
    return LaneOrder(home, largest_first(changed), context.run_id, tags, lanes)
