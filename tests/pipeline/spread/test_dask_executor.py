"""Dagster's executor for Dask on a real cluster of two processes of this machine."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dagster as dg
import pytest

distributed = pytest.importorskip("distributed", reason="Dask is not installed; pip install -e '.[dask]' brings it")
pytest.importorskip("dagster_dask", reason="dagster-dask is not installed; pip install -e '.[dask]' brings it")

from pipeline.spread.executors import executor_of  # noqa: E402

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
