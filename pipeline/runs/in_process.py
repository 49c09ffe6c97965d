"""Runs the code location's own jobs in this process, so that a terminal and the UI leave the same history."""

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

import dagster as dg

from pipeline.building.hosted_models import HostedModels
from pipeline.defs.automation import ASKED_BY
from pipeline.defs.job_runs import UNFINISHED, run_job
from pipeline.runs.instance_file import write_instance_file
from pipeline.runs.outcomes import BuildProblem, RunOutcome, full_disk_sentence
from retrieval.files.locks import HomeBusyError, write_lock
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import EMBEDDED

BUILD = "querymust/build"
"""Tag of all runs of one build."""

OF_A_BUILD = {ASKED_BY: "build"}
"""The tag of the runs that a build starts: only these are known to be dead once no build is running."""

Listener = Callable[[str], None]
"""Called with the name of each asset or check as it begins."""


@contextmanager
def dagster_instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """Open the home's own run history, with telemetry switched off by file as well as by environment."""
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    home.dagster.mkdir(parents=True, exist_ok=True)
    write_instance_file(home.dagster, home.settings, os.environ)
    with dg.DagsterInstance.from_config(str(home.dagster)) as instance:
        yield instance


def cancel_unfinished(instance: dg.DagsterInstance) -> int:
    """Mark the runs that a build began and did not finish as canceled, and return how many.

    Call it if the process that ran them has ended or is about to end: a killed process reports nothing, and the UI
    would show its run as under way for ever.
    """
    runs = instance.get_runs(dg.RunsFilter(tags=OF_A_BUILD, statuses=list(UNFINISHED)))
    for run in runs:
        instance.report_run_canceled(run, "The build was interrupted.")
    return len(runs)


def cancel_dead(home: Home) -> int:
    """Mark every run that was under way as canceled, if no process writes to the home, and return how many.

    Runs hold the home's lock. If it is free, a run that the history shows as started has lost its process, and all
    others would wait for it. Queued runs are left in the queue.

    Raises:
        HomeUnwritableError: the home cannot be created or written.
    """
    try:
        with write_lock(home.root), dagster_instance(home) as instance:
            runs = instance.get_runs(dg.RunsFilter(statuses=list(UNFINISHED[1:])))
            for run in runs:
                instance.report_run_canceled(run, "Its process is gone.")
            return len(runs)
    except HomeBusyError:
        return 0


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the code location's jobs against one home."""

    definitions: dg.Definitions
    instance: dg.DagsterInstance
    home: Home
    models: HostedModels = field(default_factory=HostedModels)
    """Access of its runs to hosted models."""
    build_id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    """Id in the tags of all its runs."""

    def run(
        self,
        job: str,
        partition_key: str | None = None,
        listener: Listener = lambda _: None,
        *,
        config: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
    ) -> RunOutcome:
        """Run one job in this process. A failure is in the outcome and is not raised."""
        run_id = str(uuid.uuid4())

        def tell(entry: dg.EventLogEntry) -> None:
            event = entry.dagster_event
            if event is not None and event.event_type is dg.DagsterEventType.STEP_START:
                listener(str(event.step_key))
            elif event is None and entry.user_message.endswith(EMBEDDED):
                listener(entry.user_message)

        self.instance.add_event_listener(run_id, tell)
        result = run_job(
            self.definitions.resolve_job_def(job),
            self.instance,
            self.home,
            self.models,
            OF_A_BUILD | {BUILD: self.build_id},
            partition_key=partition_key,
            config=config,
            run_id=run_id,
        )
        return outcome_of(result.all_events, self.home)


def outcome_of(events: Sequence[dg.DagsterEvent], home: Home) -> RunOutcome:
    """Return the outcome of a run from its events."""
    return RunOutcome(_problems(events, home), _numbers(events))


def _problems(events: Sequence[dg.DagsterEvent], home: Home) -> tuple[BuildProblem, ...]:
    checks = {
        event.step_key: event.asset_check_evaluation_data.check_name
        for event in events
        if event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION
    }
    return tuple(
        _step_problem(event, checks.get(event.step_key, str(event.step_key)), home)
        for event in events
        if event.is_step_failure
    )


def _step_problem(event: dg.DagsterEvent, where: str, home: Home) -> BuildProblem:
    failure = event.step_failure_data
    if failure.user_failure_data is not None:
        return BuildProblem(where, failure.user_failure_data.description or "failed")
    error = failure.error
    cause = error.cause if error is not None and error.cause is not None else error
    trace = cause.to_string() if cause is not None else "failed"
    return BuildProblem(where, full_disk_sentence(home.root, trace) or trace)


_JSON = (int, float, str, list, dict, type(None))
"""Types of numbers that are reported to other processes; Dagster's tables stay in its own history."""


def _numbers(events: Sequence[dg.DagsterEvent]) -> dict[str, dict[str, object]]:
    numbers: dict[str, dict[str, object]] = {}
    for event in events:
        if not event.is_step_materialization:
            continue
        materialization = event.step_materialization_data.materialization
        name = materialization.asset_key.to_user_string()
        numbers[name] = {
            key: value.value for key, value in materialization.metadata.items() if isinstance(value.value, _JSON)
        }
    return numbers
