"""The books of a build, indexed in this process or by several processes."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import dagster as dg

from pipeline.definitions import load
from pipeline.defs.lanes import JOB, index_books_job, lane_names
from pipeline.defs.resources import index_book
from pipeline.runs.in_process import BUILD, OF_A_BUILD, Runner, outcome_of
from pipeline.runs.outcomes import BuildProblem, RunOutcome
from pipeline.runs.unchanged import Unchanged
from pipeline.spread.lane import QUIET, LaneOrder, known_as, largest_first
from retrieval.files.locks import book_turn, holder, wait_until_left
from retrieval.files.records import dump_record
from retrieval.ingest.library.library import BookFolder

_LOOK_AGAIN = 0.3
"""Seconds between two looks at the history."""
_BY_SLUG = "dagster/partition"


def job_of(executor: str, lanes: int) -> dg.JobDefinition:
    """The job as another process makes it, which knows neither the home nor its settings."""
    return index_books_job(executor, lanes, load)


@dataclass(frozen=True, slots=True)
class Spread:
    """The books of one build under way in several processes."""

    runner: Runner
    folders: Sequence[BookFolder]
    """Of the books that are to be read."""
    begun: Callable[[str], None]
    """Told each book as it is begun."""
    ended: Callable[[str, RunOutcome], None]
    """Told each book and what became of it as its run ends."""
    _begun: set[str] = field(default_factory=set)
    _ended: set[str] = field(default_factory=set)

    def index(self) -> None:
        """Index them. What failed is told of the book; a book that no process came to is a problem too."""
        # Dagster waits for its processes in a thread, so that this one can say how far they are.
        with ThreadPoolExecutor(1) as threads:
            run = threads.submit(self._run)
            while not run.done():
                time.sleep(_LOOK_AGAIN)
                self._look()
        self._look()
        self._cancel_the_dead()
        self._tell_of_the_lost(run)

    def _run(self) -> dg.JobExecutionResult:
        home, instance = self.runner.home, self.runner.instance
        lanes = min(home.settings.lanes, len(self.folders))
        tags = OF_A_BUILD | {BUILD: self.runner.build_id}
        books = largest_first(self.folders)
        order = LaneOrder(home, books, self.runner.build_id, tags, lanes, holder(home.root))
        config = {"config": {"order": dump_record(order).decode()}}
        given = {"executor": home.settings.executor, "lanes": lanes}
        job = dg.build_reconstructable_job(__name__, job_of.__name__, reconstructable_kwargs=given)
        with known_as(instance, JOB):
            return dg.execute_job(
                job, instance, run_config=QUIET | {"ops": dict.fromkeys(lane_names(lanes), config)}, tags=tags
            )

    def _look(self) -> None:
        for record in self._records():
            run = record.dagster_run
            slug = run.tags[_BY_SLUG]
            if slug not in self._begun:
                self._begun.add(slug)
                self.begun(slug)
            if run.is_finished and slug not in self._ended:
                self._ended.add(slug)
                entries = self.runner.instance.all_logs(run.run_id)
                events = [entry.dagster_event for entry in entries if entry.dagster_event is not None]
                self.ended(slug, outcome_of(events, self.runner.home))

    def _records(self) -> Iterator[dg.RunRecord]:
        tags = {BUILD: self.runner.build_id}
        records = self.runner.instance.get_run_records(dg.RunsFilter(job_name=index_book.name, tags=tags))
        return reversed(records)  # the newest comes first

    def _cancel_the_dead(self) -> None:
        """A book whose process died was begun again by another lane, or is lost."""
        for record in self._records():
            if not record.dagster_run.is_finished:
                self.runner.instance.report_run_canceled(record.dagster_run, "Its process is gone.")

    def _tell_of_the_lost(self, run: Future[dg.JobExecutionResult]) -> None:
        why = run.exception()
        output = f" ({type(why).__name__}: {why})" if why else ""
        for slug in (folder.slug for folder in self.folders if folder.slug not in self._ended):
            sentence = f"{slug} was not indexed to its end: its process is gone{output}; build again"
            self.ended(slug, RunOutcome((BuildProblem(JOB, sentence),), {}))


Doing = Callable[[str, str, int], None]
"""Told what is done, the asset that runs now, and how many books are done."""


def index_books(
    runner: Runner, folders: Sequence[BookFolder], unchanged: Unchanged, doing: Doing
) -> dict[str, RunOutcome]:
    """Run `index_book` for each of these books, and remember what was done to its end.

    Whoever a killed build left in a book is waited for.

    Returns:
        What became of each, by its slug and in slug order.
    """
    outcomes: dict[str, RunOutcome] = {}
    begun: list[str] = []

    def begin(slug: str, part: str = "") -> None:
        if slug not in begun:
            begun.append(slug)
        doing(f"book {begun.index(slug) + 1} of {len(folders)}: {slug}", part, len(outcomes))

    def end(slug: str, outcome: RunOutcome) -> None:
        outcomes[slug] = outcome
        # What a model could not be asked about today is work that is left.
        waiting = any(outcome.numbers.get(asset, {}).get("n_waiting") for asset in ("table_rows", "chunks"))
        if not outcome.problems and not waiting:
            unchanged.keep(slug, outcome.numbers)

    for folder in folders:
        unchanged.forget(folder.slug)
    root = runner.home.root
    if runner.home.settings.lanes > 1 and len(folders) > 1:
        Spread(runner, folders, begin, end).index()
    else:
        for slug in (folder.slug for folder in folders):
            begin(slug)
            with book_turn(root, slug):
                outcome = runner.run("index_book", slug, partial(begin, slug))
            end(slug, outcome)
    wait_until_left(root, [folder.slug for folder in folders])
    return dict(sorted(outcomes.items()))
