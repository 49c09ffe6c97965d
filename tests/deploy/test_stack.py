"""What deploy/ starts, as real processes of this machine: the same index, a history that survives, one writer."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import QueuedRunCoordinatorDaemon
from dagster_graphql.client.query import LAUNCH_PIPELINE_EXECUTION_MUTATION
from dagster_graphql.test.utils import execute_dagster_graphql

from pipeline.defs.books import sync_books
from pipeline.runs.apart import build_apart
from pipeline.runs.build import build
from pipeline.runs.in_process import dagster_instance
from pipeline.runs.instance_file import HISTORY
from retrieval.files.locks import holder, write_lock
from retrieval.home import Home
from retrieval.settings import Settings
from tests.conftest import write_book
from tests.deploy.conftest import PASSWORD, Postgres
from tests.deploy.outcome import left_by, results_file
from tests.processes import end, free_port, listens

ROOT = Path(__file__).parents[2]
BOUND = 120.0
"""Seconds that a busy machine may need."""

# Dagster's own daemons, and Dask, use what others call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    items = {"arms": ["dagger", "mace", "long sword"], "camp": ["rope", "lantern"], "food": ["bread", "ale", "salt"]}
    questions = [write_book(tmp_path / "library", name, name.title(), rows) for name, rows in items.items()]
    for path in questions:
        path.rename(tmp_path / path.name)
    return Settings(tmp_path / "library", tuple(tmp_path / path.name for path in questions))


@pytest.mark.slow
def test_postgres_chroma_and_dask_give_the_results_of_the_embedded_build(
    settings: Settings, tmp_path: Path, postgres: Postgres, chroma_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dagster_dask", reason="dagster-dask is not installed; pip install -e '.[dask]' brings it")
    embedded = Home(tmp_path / "embedded", settings)
    assert build(embedded).problems == []
    expected = results_file(embedded.root, tmp_path / "embedded.json", os.environ)

    monkeypatch.setenv(HISTORY, postgres.address)
    monkeypatch.setenv("QUERYMUST_CHROMA", chroma_server)
    spread = replace(settings, chroma=chroma_server, executor="dask", processes=2)
    deployed = Home(tmp_path / "deployed", spread)
    assert build_apart(deployed, lambda _: None).problems == []
    assert results_file(deployed.root, tmp_path / "deployed.json", os.environ) == expected
    assert left_by(deployed) == left_by(embedded)
    assert not list(deployed.root.rglob("chroma.sqlite3")), "the collections are on the server"
    assert not list(deployed.dagster.rglob("*.db")), "the history is in the database"
    everything = [path.read_bytes() for path in deployed.root.rglob("*") if path.is_file()]
    assert not any(PASSWORD.encode() in each for each in everything)

    with dagster_instance(deployed) as instance:
        before = {run.run_id: run.status for run in instance.get_runs()}
        assert {run.job_name for run in instance.get_runs()} >= {"index_books", "index_book", "go_live"}
        assert set(before.values()) == {dg.DagsterRunStatus.SUCCESS}
    postgres.stop()
    postgres.start()
    with dagster_instance(deployed) as instance:
        assert {run.run_id: run.status for run in instance.get_runs()} == before
        event = instance.get_latest_materialization_event(dg.AssetKey("live_index"))
        assert event is not None
    again = build(deployed)
    assert (again.problems, again.skipped) == ([], ("arms", "camp", "food")), "what was done is known after a restart"


@pytest.mark.slow
def test_programs_that_begin_at_once_find_the_tables_of_a_new_database(tmp_path: Path, postgres: Postgres) -> None:
    given = {HISTORY: postgres.address, "QUERYMUST_HOME": str(tmp_path), "DAGSTER_HOME": str(tmp_path / "dagster")}
    command = [sys.executable, "-m", "pipeline.runs.instance_file"]
    begun = [subprocess.Popen(command, cwd=ROOT, env=os.environ | given, stderr=subprocess.PIPE) for _ in range(3)]
    output = [process.communicate(timeout=BOUND)[1] for process in begun]
    assert [process.returncode for process in begun] == [0, 0, 0], output
    assert not any(b"Retrying" in each for each in output)
    tables = "SELECT count(*) FROM information_schema.tables WHERE table_name IN ('runs', 'event_logs', 'jobs')"
    assert postgres.fetch_value(tables) == "3"


@contextmanager
def code_process(home: Home, environment: Mapping[str, str]) -> Iterator[None]:
    """The process with the code, as deploy/README.md starts it."""
    port = environment["QUERYMUST_CODE_PORT"]
    command = ["-m", "dagster", "api", "grpc", "-m", "pipeline.definitions", "-h", "127.0.0.1", "-p", port]
    with ExitStack() as stack, (home.root / "code.log").open("ab") as log:
        process = stack.enter_context(
            subprocess.Popen([sys.executable, *command], cwd=ROOT, env=os.environ | environment, stdout=log, stderr=log)
        )
        stack.callback(end, process)
        until = time.monotonic() + BOUND
        while not listens(int(port)):
            assert time.monotonic() < until, (home.root / "code.log").read_text()
            time.sleep(0.1)
        yield


def launch(context: WorkspaceProcessContext, location: str, job: str) -> str:
    """What the button of the UI does; the run's id."""
    selector = {"repositoryLocationName": location, "repositoryName": "__repository__", "pipelineName": job}
    parameters = {"selector": selector, "mode": "default", "runConfigData": "{}"}
    with context.create_request_context() as request:
        answer = execute_dagster_graphql(request, LAUNCH_PIPELINE_EXECUTION_MUTATION, {"executionParams": parameters})
    assert not answer.errors, answer.errors
    (output,) = answer.data.values()
    assert output["__typename"] == "LaunchRunSuccess", output
    return str(output["run"]["runId"])


def wait_for(instance: dg.DagsterInstance, runs: Sequence[str], *statuses: str) -> None:
    until = time.monotonic() + BOUND
    while {_status(instance, run) for run in runs} - set(statuses):
        assert time.monotonic() < until, [_status(instance, run) for run in runs]
        time.sleep(0.2)


def _status(instance: dg.DagsterInstance, run_id: str) -> str:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status.value


def at_work(instance: dg.DagsterInstance, run_id: str) -> list[float]:
    """When each step of a run began and ended."""
    kinds = {dg.DagsterEventType.STEP_START, dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.STEP_SUCCESS}
    return [entry.timestamp for entry in instance.all_logs(run_id, of_type=kinds)]


@pytest.mark.slow
def test_two_runs_at_once_have_one_writer_and_a_restart_forgets_nothing(
    settings: Settings, tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "home", replace(settings, executor="multiprocess", processes=2))
    environment = {
        HISTORY: postgres.address,
        "QUERYMUST_HOME": str(home.root),
        "DAGSTER_HOME": str(home.dagster),
        "QUERYMUST_CODE": "127.0.0.1",
        "QUERYMUST_CODE_PORT": str(free_port()),
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    home.root.mkdir()
    home.settings.write(home.root)
    workspace = WorkspaceFileTarget([str(ROOT / "deploy" / "workspace.yaml")])
    with dagster_instance(home) as instance, code_process(home, environment):
        sync_books(home, instance)
        with WorkspaceProcessContext(instance, workspace) as context:
            with write_lock(home.root):
                runs = [launch(context, "querymust", "index_library") for _ in range(2)]
                list(QueuedRunCoordinatorDaemon(1).run_iteration(context))
                wait_for(instance, runs, "STARTED")
                assert [at_work(instance, run) for run in runs] == [[], []], "somebody else writes"
            wait_for(instance, runs, "FAILURE")  # no book has chunks yet, which each of them says in its turn
            first, second = sorted((at_work(instance, run) for run in runs), key=min)
            assert max(first) <= min(second)
            with context.create_request_context() as request:
                (repository,) = request.get_code_location("querymust").get_repositories().values()
                instance.start_schedule(repository.get_schedule("nightly_embedding"))
    assert holder(home.root) is None

    postgres.stop()
    postgres.start()
    with dagster_instance(home) as instance, code_process(home, environment):
        assert {_status(instance, run) for run in runs} == {"FAILURE"}
        assert at_work(instance, runs[0])
        assert instance.get_dynamic_partitions("books") == ["arms", "camp", "food"]
        with WorkspaceProcessContext(instance, workspace) as context, context.create_request_context() as request:
            (repository,) = request.get_code_location("querymust").get_repositories().values()
            schedule = repository.get_schedule("nightly_embedding")
            states = {state.selector_id: state for state in instance.all_instigator_state()}
            assert states[schedule.selector_id].is_running
