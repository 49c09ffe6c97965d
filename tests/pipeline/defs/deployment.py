"""A deployment without its processes: Dagster's daemons and its GraphQL schema, turned by hand, one run at a time."""

import datetime
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import dagster as dg
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._daemon.asset_daemon import AssetDaemon
from dagster._daemon.backfill import execute_backfill_iteration
from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import QueuedRunCoordinatorDaemon
from dagster._daemon.sensor import execute_sensor_iteration
from dagster._scheduler.scheduler import launch_scheduled_runs
from dagster_graphql.client.query import LAUNCH_PARTITION_BACKFILL_MUTATION, LAUNCH_PIPELINE_EXECUTION_MUTATION
from dagster_graphql.test.utils import execute_dagster_graphql

from pipeline.definitions import load
from pipeline.defs.books import sync_books
from pipeline.defs.ingest_checks import BOOK_GATE
from pipeline.defs.live import open_objections
from pipeline.runs.in_process import Runner
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import STRATEGIES
from retrieval.types import Chunk

REPOSITORY = {"repositoryLocationName": "querymust", "repositoryName": "__repository__"}
LOGGER = logging.getLogger("deployment")


@dataclass
class Deployment:
    """A home with the instance and the daemons that serve it."""

    home: Home
    instance: dg.DagsterInstance
    context: WorkspaceProcessContext
    _seen: set[str] = field(default_factory=set)

    def start(self, *names: str) -> None:
        """Switch sensors or schedules on."""
        for name in names:
            with self.context.create_request_context() as request:
                (repository,) = request.get_code_location("querymust").get_repositories().values()
                if repository.has_schedule(name):
                    self.instance.start_schedule(repository.get_schedule(name))
                else:
                    self.instance.start_sensor(repository.get_sensor(name))

    def ask(self, query: str, variables: Mapping[str, Any]) -> Any:
        """The data of a GraphQL answer."""
        with self.context.create_request_context() as request:
            answer = execute_dagster_graphql(request, query, dict(variables))
        assert not answer.errors, answer.errors
        (value,) = answer.data.values()
        return value

    def launch(
        self,
        job: str = "__ASSET_JOB",
        assets: Sequence[str] = (),
        config: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        **tags: str,
    ) -> str:
        """Launch a job, or some assets as one run, as the UI's button does; returns the run's id once it is over.

        `config` is that of its assets, by their names.
        """
        run_id = self.queue(job, assets, config, **tags)
        self.work_off()
        return run_id

    def queue(
        self,
        job: str = "__ASSET_JOB",
        assets: Sequence[str] = (),
        config: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        **tags: str,
    ) -> str:
        """The same, and the run waits: its id."""
        chosen = {"assetSelection": [{"path": [name]} for name in assets]} if assets else {}
        selector = {**REPOSITORY, "pipelineName": job, **chosen}
        parameters = {
            "selector": selector,
            "mode": "default",
            "runConfigData": json.dumps({"ops": {name: {"config": config[name]} for name in config}}),
            "executionMetadata": {"tags": [{"key": key.replace("__", "/"), "value": tags[key]} for key in tags]},
        }
        answer = self.ask(LAUNCH_PIPELINE_EXECUTION_MUTATION, {"executionParams": parameters})
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return str(answer["run"]["runId"])

    def backfill(self, assets: Sequence[str], partitions: Sequence[str] | None = None) -> dg.DagsterRunStatus | str:
        """Launch a backfill of assets, of all their partitions if none are named; returns how it ended."""
        parameters: dict[str, Any] = {"assetSelection": [{"path": [name]} for name in assets]}
        parameters |= {"partitionNames": list(partitions)} if partitions is not None else {"allPartitions": True}
        answer = self.ask(LAUNCH_PARTITION_BACKFILL_MUTATION, {"backfillParams": parameters})
        assert answer["__typename"] == "LaunchBackfillSuccess", answer
        self.work_off()
        return self.instance.get_backfill(answer["backfillId"]).status.value  # type: ignore[union-attr]

    def add_books(self) -> None:
        """Make the books of the library partitions, as the sensor's first tick does."""
        sync_books(self.home, self.instance)

    def change(self, slug: str, before: str, after: str) -> None:
        """Write other words into a book."""
        path = self.home.library / slug / "01.md"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def launch_build(self) -> list[str]:
        """What `querymust build` does, with this history; returns its problems."""
        runner = Runner(load(), self.instance, self.home)
        jobs = [("index_book", slug) for slug in sync_books(self.home, self.instance)]
        jobs += [
            ("index_library", None),
            *(("evaluate", name) for name in STRATEGIES),
            ("go_live", None),
            ("fill_chroma", None),
        ]  # type: ignore[list-item]
        return [str(problem) for job, key in jobs for problem in runner.run(job, key).problems]

    def all_assets(self) -> list[str]:
        """Every asset of the code location: what "Materialize all" selects."""
        with self.context.create_request_context() as request:
            return sorted(key.to_user_string() for key in request.asset_graph.materializable_asset_keys)

    def dequeue(self) -> int:
        """Run what waits in the queue, one run after the other; returns how many ran."""
        ran = 0
        while self.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED])):
            list(QueuedRunCoordinatorDaemon(1).run_iteration(self.context))
            ran += 1
        return ran

    def work_off(self) -> None:
        """Turn the backfill daemon and the queue until nothing moves any more."""
        for _ in range(30):
            list(execute_backfill_iteration(self.context, LOGGER))
            under_way = {"REQUESTED", "CANCELING", "FAILING"} & {
                backfill.status.value for backfill in self.instance.get_backfills()
            }
            if not self.dequeue() and not under_way:
                return
        raise AssertionError("a backfill never ends")

    def tick_sensors(self) -> None:
        """One tick of each ordinary sensor that is on, and all runs that it asks for."""
        list(execute_sensor_iteration(self.context, LOGGER, None, None))
        self.work_off()

    def tick_automation(self) -> None:
        """One tick of the automation sensor if it is on, and all runs that it asks for."""
        daemon = AssetDaemon({}, pre_sensor_interval_seconds=1)
        list(daemon._run_iteration_impl(self.context, None, {}, {}) or ())
        self.work_off()

    def night(self) -> list[dg.DagsterRun]:
        """The scheduler at the next 03:00 UTC; returns the runs that there were."""
        self.new_runs()
        self.begin_night()
        self.work_off()
        return self.new_runs()

    def begin_night(self, days: int = 1) -> None:
        """Queue what the scheduler asks for at 03:00 UTC that many days from now."""
        night = datetime.datetime.now(datetime.UTC).replace(hour=3, minute=0, second=1) + datetime.timedelta(days=days)
        list(launch_scheduled_runs(self.context, LOGGER, night, {}))

    def settle(self) -> list[dg.DagsterRun]:
        """Tick both sensors until two ticks of both ask for nothing; returns the runs that there were."""
        before = {run.run_id for run in self.instance.get_runs()}
        idle = 0
        for _ in range(24):
            count = self.instance.get_runs_count()
            self.tick_sensors()
            self.tick_automation()
            idle = idle + 1 if self.instance.get_runs_count() == count else 0
            if idle == 2:  # a condition may need a tick to see what the one before it has seen
                runs = [run for run in self.instance.get_runs() if run.run_id not in before]
                return runs[::-1]
        raise AssertionError("the automation never comes to rest")

    @property
    def live(self) -> str | None:
        """The snapshot that readers get."""
        return live_id(self.home.root)

    def in_step(self) -> bool:
        """Whether what is live is the candidate, and every check of the gate last ran on it and held."""
        if self.live is None or self.live != self.home.candidate:
            return False
        against = open_objections(self.instance, Home.at(self.home.root), self.live, BOOK_GATE)
        assert against == [], "it went live past these"
        return True

    def books_live(self) -> set[str]:
        """The books that readers find something of."""
        return {chunk.book for chunk in self._chunks_live()}

    def text_live(self) -> str:
        """All that readers can find."""
        return "\n".join(chunk.search_text for chunk in self._chunks_live())

    def _chunks_live(self) -> list[Chunk]:
        assert self.live is not None
        with open_snapshot(self.home.root, self.live) as snapshot:
            return list(snapshot.chunks)

    def failures(self, runs: Sequence[dg.DagsterRun]) -> list[str]:
        """What the steps of these runs, or the runs before their first step, failed with, as the UI shows it."""
        return [sentence for run in runs for sentence in self._step_failures(run) or self._run_failures(run)]

    def _step_failures(self, run: dg.DagsterRun) -> list[str]:
        output = []
        for entry in self.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
            failure = entry.get_dagster_event().step_failure_data
            data = failure.user_failure_data
            output.append((data.description if data else "") or (failure.error.message if failure.error else ""))
        return output

    def _run_failures(self, run: dg.DagsterRun) -> list[str]:
        entries = self.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.RUN_FAILURE)
        errors = [entry.get_dagster_event().job_failure_data.error for entry in entries]
        return [error.message for error in errors if error]

    def new_runs(self) -> list[dg.DagsterRun]:
        """The runs since the last call, the oldest first."""
        runs = [run for run in self.instance.get_runs() if run.run_id not in self._seen]
        self._seen |= {run.run_id for run in runs}
        return runs[::-1]
