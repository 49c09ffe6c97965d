"""One build or its plan: books, indexed in this process or by several, library, scores, promotion."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import dagster as dg

from evals.aggregates import evaluability
from evals.checks import summary
from evals.errors import EvaluationError
from evals.evaluation import Evaluation
from evals.experiment import Experiment
from evals.gate import GOLD_RESOLVES, Scores
from evals.questions.question_sets import question_sets
from evals.verdicts import HOW, CheckVerdict, keep_verdict, kept_verdicts
from pipeline.building.book_records import BookEntry, book_entries, read_for_index
from pipeline.building.hosted_models import HostedModels
from pipeline.building.kept_work import KeptWork
from pipeline.building.plan import BuildPlan, plan_build
from pipeline.console.output import err
from pipeline.definitions import load
from pipeline.defs.books import sync_books
from pipeline.defs.ingest_checks import HOLDING_KEYS
from pipeline.defs.job_runs import QUIET, cancel_killed, known_as
from pipeline.defs.lanes import JOB, LaneOrder, index_books_job, lane_names, largest_first
from pipeline.defs.resources import index_book
from pipeline.runs.in_process import (
    BUILD,
    OF_A_BUILD,
    Runner,
    cancel_unfinished,
    dagster_instance,
    outcome_of,
)
from pipeline.runs.instance_file import set_aside_damaged
from pipeline.runs.outcomes import Build, BuildProblem, Progress, RunOutcome, Step
from pipeline.runs.unchanged import BOOK_FILE, Unchanged, book_key
from retrieval.files.locks import book_turn, holder, wait_until_left
from retrieval.files.records import dump_record
from retrieval.home import Home
from retrieval.index.embedding.embedders import cuts_for, load_embedder, price_of
from retrieval.index.snapshot.folders import remove_snapshots
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.library import BookFolder, list_books, refused_folders, stray_files
from retrieval.search.strategies import STRATEGIES

_LOOK_AGAIN = 0.3
"""Seconds between two queries of the run history."""
_BY_SLUG = "dagster/partition"


def job_of(executor: str, lanes: int) -> dg.JobDefinition:
    """Return the job for a process that knows neither the home nor its settings."""
    return index_books_job(executor, lanes, load)


@dataclass(frozen=True, slots=True)
class Spread:
    """Indexes the books of one build in several processes."""

    runner: Runner
    folders: Sequence[BookFolder]
    """Folders of the books to read."""
    begun: Callable[[str], None]
    """Called with each book as it is started."""
    ended: Callable[[str, RunOutcome], None]
    """Called with each book and its outcome as its run ends."""
    _begun: set[str] = field(default_factory=set)
    _ended: set[str] = field(default_factory=set)

    def index(self) -> None:
        """Index the books. Failures are in the outcomes; a book that no process indexed to the end is a problem too."""
        # Dagster waits for its processes in another thread, so that this one can report their progress.
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
        """Mark the runs of dead processes as canceled; another lane started their books again, or they are lost."""
        for record in self._records():
            if not record.dagster_run.is_finished:
                self.runner.instance.report_run_canceled(record.dagster_run, "Its process is gone.")

    def _tell_of_the_lost(self, run: Future[dg.JobExecutionResult]) -> None:
        why = run.exception()
        reason = f" ({type(why).__name__}: {why})" if why else ""
        for slug in (folder.slug for folder in self.folders if folder.slug not in self._ended):
            sentence = f"{slug} was not fully indexed: its process is gone{reason}; build again"
            self.ended(slug, RunOutcome((BuildProblem(JOB, sentence),), {}))


Doing = Callable[[str, str, int], None]
"""Called with a description of the step, the asset that runs now, and the number of finished books."""


def index_books(
    runner: Runner, folders: Sequence[BookFolder], unchanged: Unchanged, doing: Doing
) -> dict[str, RunOutcome]:
    """Run `index_book` for each of these books, and record which were indexed to the end.

    If a killed build left processes that still work on a book, wait for them.

    Returns:
        The outcome of each book by slug, in slug order.
    """
    outcomes: dict[str, RunOutcome] = {}
    begun: list[str] = []

    def begin(slug: str, part: str = "") -> None:
        if slug not in begun:
            begun.append(slug)
        doing(f"book {begun.index(slug) + 1} of {len(folders)}: {slug}", part, len(outcomes))

    def end(slug: str, outcome: RunOutcome) -> None:
        outcomes[slug] = outcome
        # Items that a model could not be asked about yet are unfinished work.
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


def planned(home: Home) -> BuildPlan:
    """Return the plan of a build of `home`; a book that it would read again is read and chunked here, but not saved.

    Raises:
        LibraryError: the library cannot be read.
        UnknownNameError: no embedder has the name in the settings.
    """
    embedder = load_embedder(home.settings.embedder)
    identity, cuts = embedder.identity, cuts_for(home.settings, embedder)

    def is_kept(folder: BookFolder) -> bool:
        key = book_key(folder, identity, home.settings)
        return KeptWork.read(home.book(folder.slug) / BOOK_FILE, key) is not None

    return plan_build(home, lambda folder: chunks_of_book(read_for_index(home, folder), home.vocabulary, cuts), is_kept)


@dataclass(frozen=True, slots=True)
class _Job:
    name: str
    key: str | None
    doing: str


def build(
    home: Home,
    progress: Progress = lambda _: None,
    opened: Callable[[dg.DagsterInstance], None] = lambda _: None,
    force: str | None = None,
    accept: str | None = None,
) -> Build:
    """Bring the live index of `home` up to date with its library.

    A book whose records are up to date with its folder is not read again. If all are, and the live index is made of
    them, nothing is run. A book that fails does not stop the other books; it stops the snapshot, and readers keep the
    index that they had.
    The caller holds the home's `write_lock`: runs that an earlier build left unfinished are assumed dead.

    Args:
        progress: called with each step as it begins.
        opened: called with the run history before the first run begins.
        force: the reason why the candidate goes live even if its scores refuse it; None: it does not.
        accept: the reason why text that may be damaged goes live as it was read; None: unless accepted before, it does
            not.

    Raises:
        LibraryError: the library cannot be read; nothing was changed.
        UnknownNameError: no embedder has the name in the settings; nothing was changed.
        BudgetExceededError: it would cost more than the settings allow; nothing was sent.
        EmbedderMismatchError: the embedder's dimensions differ from the settings; nothing was changed.
        EmbedderUnavailableError: the embedder lacks its library, weights, key or server; no book was read.
        ModelError: the server of the model that reads tables refuses the key, or has no such model; no book was read.
    """
    # Unusable settings must not be saved in the home: the next build would fail because of them too.
    folders = list_books(home.library)
    embedder = load_embedder(home.settings.embedder)
    if home.settings.embedding.dimensions is not None:
        home.settings.embedding.check(embedder.identity)
    if home.settings.budget_usd is not None and price_of(embedder.identity) is not None:
        plan = planned(home)
        plan.cost.require_within(plan.budget)
    done = _compared(folders, book_entries(home))
    done.strays, done.refused = stray_files(home.library), refused_folders(home.library)
    models = HostedModels()
    for position in set_aside_damaged(home):
        err.print(f"Dagster's {position.name.split('.')[0]} could not be read; it was moved to {position}")
    with dagster_instance(home) as instance:
        cancel_unfinished(instance)
        cancel_killed(home, instance)
        opened(instance)
        unchanged = Unchanged(home, instance, folders)
        done.books = unchanged.books()
        models.require_ready(home, [folder for folder in folders if folder.slug not in done.books])
        home.settings.write(home.root)  # the runs, and the UI after them, find their settings there
        done.slugs = sync_books(home, instance)
        done.skipped = tuple(done.books)
        whole = unchanged.whole() if done.skipped == done.slugs else None
        if whole is None:
            _run(
                done,
                Runner(load(), instance, home, models),
                unchanged,
                folders,
                progress,
                {"force": force, "accept": accept},
            )
        else:
            done.library, done.is_unchanged = whole, True
    if not done.problems:
        remove_snapshots(home.root, home.candidate)
    return done


def _run(
    done: Build,
    runner: Runner,
    unchanged: Unchanged,
    folders: tuple[BookFolder, ...],
    progress: Progress,
    reasons: Mapping[str, str | None],
) -> None:
    """Run the outstanding jobs, and record completed work."""
    home = runner.home
    unchanged.forget_whole()
    read = [folder for folder in folders if folder.slug not in done.skipped]
    jobs = _jobs(STRATEGIES if home.settings.questions else ())
    total = len(read) + len(jobs)
    indexed = index_books(runner, read, unchanged, lambda doing, part, n: progress(Step(doing, part, n, total)))
    done.books |= indexed
    done.problems.extend(problem for outcome in indexed.values() for problem in outcome.problems)
    for number, job in enumerate(jobs, start=len(read)):
        if done.problems:
            return

        def tell(part: str, job: _Job = job, number: int = number) -> None:
            progress(Step(job.doing, part, number, total))

        tell("")
        config = {"live_index": reasons} if job.name == "go_live" else {}
        outcome = runner.run(job.name, job.key, tell, config=config)
        if outcome.problems and job.name == "go_live" and reasons["force"] is not None:
            refused = outcome.problems
            outcome = runner.run("promote", None, tell, config=config)
            done.overruled = () if outcome.problems else refused
        done.problems.extend(outcome.problems)
        done.library |= outcome.numbers
        if job.name == "index_library" and not done.problems:
            done.problems.extend([] if reasons["accept"] else _unaccepted(home))
            done.problems.extend([] if reasons["force"] else _stale_gold(home))
    if not done.problems:
        unchanged.keep_whole(done.library)


def _unaccepted(home: Home) -> list[BuildProblem]:
    """Return the findings of the checks that hold a promotion, so that they are known before minutes of scoring."""
    holding = {key.name for key in HOLDING_KEYS}
    verdicts = [verdict for verdict in kept_verdicts(home.root) if verdict.check in holding and verdict.refuses]
    return [BuildProblem(verdict.check, f"{verdict.says}; {HOW}") for verdict in verdicts]


def _stale_gold(home: Home) -> list[BuildProblem]:
    """Return the gate's objections to the questions' gold, which do not depend on scores, before minutes of scoring."""
    if not home.settings.questions:
        return []
    try:
        sentence = _objection(home)
    except EvaluationError as error:
        sentence = str(error)
    if not sentence:
        return []
    refusal = CheckVerdict.now(GOLD_RESOLVES.name, sentence, home.candidate, passed=False, blocks=True)
    keep_verdict(home.root, refusal)  # its check will not run
    return [BuildProblem(refusal.check, refusal.says)]


def _objection(home: Home) -> str:
    """Return why the gate refuses the gold of the questions; empty if it does not. Raises EvaluationError."""
    with open_snapshot(home.root, home.candidate) as snapshot:
        sets = question_sets(home.settings.questions, tuple(snapshot.chunks))
    unscored = tuple(question for question_set in sets for question in question_set.unscored)
    stale = tuple(map(str, Evaluation(home.candidate, sets).stale))
    reasons = GOLD_RESOLVES.reasons(
        Scores(Experiment(home.candidate, (), evaluability(sets), unscored, ()), stale=stale)
    )
    return summary([reason.objection for reason in reasons]) if any(reason.blocks for reason in reasons) else ""


def _compared(folders: tuple[BookFolder, ...], before: Mapping[str, BookEntry]) -> Build:
    """Return a build that has not started, with the new, changed and removed books."""
    digests = {folder.slug: folder.digest for folder in folders}
    return Build(
        new=tuple(slug for slug in digests if slug not in before),
        changed=tuple(slug for slug in digests if slug in before and before[slug].digest != digests[slug]),
        gone=tuple(slug for slug in before if slug not in digests),
    )


def _jobs(strategies: Mapping[str, object] | tuple[()]) -> list[_Job]:
    return [
        _Job("index_library", None, "the index of the whole library"),
        *(
            _Job("evaluate", name, f"scores {number} of {len(strategies)}: {name}")
            for number, name in enumerate(strategies, start=1)
        ),
        _Job("go_live", None, "going live"),
        _Job("fill_chroma", None, "filling Chroma"),
    ]
