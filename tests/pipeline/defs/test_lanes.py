"""The job that indexes the books that changed by several processes, launched as the UI does."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dagster as dg
import pytest

from pipeline.definitions import load
from pipeline.defs.books import sync_books
from pipeline.defs.lanes import ExecutorMissingError, LaneOrder, executor_of, index_books, largest_first
from retrieval.files.locks import Holder, book_turn
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from retrieval.settings import Settings
from tests.pipeline.defs.deployment import Deployment

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMUST_EXECUTOR", "multiprocess")
    monkeypatch.setenv("QUERYMUST_PROCESSES", "2")


@pytest.mark.slow
@pytest.mark.usefixtures("two_processes")
def test_a_launch_indexes_what_changed_and_a_failure_names_the_book(deployment: "Deployment") -> None:
    obstacle = deployment.home.book("gamma") / "tables.jsonl"
    obstacle.mkdir(parents=True)  # no file of that name can be written
    deployment.launch("index_books")
    runs = deployment.new_runs()
    assert sorted(run.tags["dagster/partition"] for run in runs if run.job_name == "index_book") == [
        *("alpha", "beta", "gamma")
    ]
    (spread,) = (run for run in runs if run.job_name == "index_books")
    assert not spread.is_success
    assert "not indexed: gamma; the run of each shows why" in deployment.failures([spread])

    obstacle.rmdir()
    deployment.launch("index_books")
    runs = deployment.new_runs()
    assert [run.tags.get("dagster/partition") for run in runs if run.job_name == "index_book"] == ["gamma"]
    assert {run.status.value for run in runs} == {"SUCCESS"}
    deployment.launch("index_library")
    assert all(run.is_success for run in deployment.new_runs())


ROOT = Path(__file__).parents[3]

STUCK = """
import sys
from pathlib import Path
from retrieval.files.locks import book_turn
with book_turn(Path(sys.argv[1]), "beta"):
    print("in it", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for slug, times in (("alpha", 1), ("beta", 3), ("gamma", 2)):
        (tmp_path / "library" / slug).mkdir(parents=True)
        (tmp_path / "library" / slug / "01.md").write_text(f"# {slug}\n\n" + "A dagger is short.\n\n" * times)
    return Home(tmp_path / "home", Settings(tmp_path / "library"))


@pytest.fixture
def instance(home: Home, instance: dg.DagsterInstance) -> dg.DagsterInstance:
    sync_books(home, instance)
    return instance


def ordered(home: Home, build: str = "4711", holder: Holder | None = None) -> LaneOrder:
    return LaneOrder(home, largest_first(list_books(home.library)), build, {"of": "a test"}, 2, holder)


def indexed(order: LaneOrder, instance: dg.DagsterInstance) -> tuple[list[str], list[str]]:
    told: list[str] = []
    return index_books(order, load().resolve_job_def("index_book"), instance, told.append), told


def test_the_largest_book_is_begun_first(home: Home) -> None:
    assert largest_first(list_books(home.library)) == ("beta", "gamma", "alpha")


def test_a_lane_leaves_alone_what_another_lane_of_its_build_is_done_with(home, instance):
    for slug, build in (("gamma", "4711"), ("alpha", "of yesterday")):
        with book_turn(home.root, slug) as turn:
            turn.mark_done_by(build)
    assert indexed(ordered(home), instance) == ([], ["beta", "alpha"])
    runs = instance.get_runs()
    assert {run.tags["dagster/partition"] for run in runs} == {"alpha", "beta"}
    assert {run.tags["of"] for run in runs} == {"a test"}
    assert indexed(ordered(home), instance) == ([], []), "all of it is done"
    assert indexed(ordered(home, "of today"), instance) == ([], ["beta", "gamma", "alpha"])


def test_what_a_killed_lane_was_at_is_done_by_another_one(home: Home, instance: dg.DagsterInstance) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUCK, str(home.root)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in it\n"
        told: list[str] = []

        def tell(slug: str) -> None:
            told.append(slug)
            if len(told) == 2:
                os.kill(other.pid, signal.SIGKILL)

        assert index_books(ordered(home), load().resolve_job_def("index_book"), instance, tell) == []
    assert told == ["gamma", "alpha", "beta"]


def test_a_book_that_fails_is_named_and_stops_no_other(home: Home, instance: dg.DagsterInstance) -> None:
    (home.book("gamma") / "tables.jsonl").mkdir(parents=True)  # no file of that name can be written
    failed, told = indexed(ordered(home), instance)
    assert (failed, told) == (["gamma"], ["beta", "gamma", "alpha"])


def test_a_lane_ends_once_the_build_that_it_works_for_is_gone(home: Home, instance: dg.DagsterInstance) -> None:
    assert indexed(ordered(home, holder=Holder.here()), instance) == ([], [])
    assert instance.get_runs() == []


def test_each_setting_has_an_executor() -> None:
    assert executor_of("in_process", 1) is dg.in_process_executor
    assert executor_of("multiprocess", 2).name == "multiprocess"


def test_dask_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith("dagster_dask.") or name == "pipeline.building.dask_executor":
            monkeypatch.delitem(sys.modules, name)  # another test of this process may have loaded it
    monkeypatch.setitem(sys.modules, "dagster_dask", None)
    with pytest.raises(ExecutorMissingError, match=r"'dask\+tcp://cluster:8786'.*pip install 'dagster-dask"):
        executor_of("dask+tcp://cluster:8786", 2)


distributed = pytest.importorskip("distributed", reason="Dask is not installed; pip install -e '.[dask]' brings it")
pytest.importorskip("dagster_dask", reason="dagster-dask is not installed; pip install -e '.[dask]' brings it")


TOGETHER = 60.0
"""Seconds that a run waits for the other one to be there too."""


@pytest.fixture
def cluster() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=40
    ) as started:
        yield started.scheduler_address


@dg.op
def written(context: dg.OpExecutionContext) -> None:
    folder = Path(context.run.tags["folder"])
    (folder / context.run_id).touch()
    until = time.monotonic() + TOGETHER
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.05)


def writing(address: str) -> dg.JobDefinition:
    @dg.graph
    def write() -> None:
        written()

    return write.to_job(executor_def=executor_of(f"dask+{address}", 2))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask's own
def test_two_runs_of_one_job_at_once_are_both_done(cluster: str, tmp_path: Path) -> None:
    history, seen = tmp_path / "history", tmp_path / "seen"
    history.mkdir()
    seen.mkdir()
    (history / "dagster.yaml").touch()
    job = dg.build_reconstructable_job(__name__, writing.__name__, reconstructable_kwargs={"address": cluster})
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}

    def run() -> str:
        with dg.DagsterInstance.from_config(str(history)) as instance:
            return str(dg.execute_job(job, instance, run_config=quiet, tags={"folder": str(seen)}).run_id)

    with dg.DagsterInstance.from_config(str(history)) as instance, ThreadPoolExecutor(2) as threads:
        assert instance.get_runs() == []  # its tables are made once: two that make them at once fail
        runs = {each.result() for each in [threads.submit(run) for _ in range(2)]}
        assert {run.run_id: run.status.value for run in instance.get_runs()} == dict.fromkeys(runs, "SUCCESS")
    assert {path.name for path in seen.iterdir()} == runs, "each wrote its own file, at the same time as the other"
