"""The job that indexes the books that changed by several processes, launched as the UI does."""

import pytest

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
    deployment.add_books()
    obstacle = deployment.home.book("gamma") / "tables.jsonl"
    obstacle.mkdir(parents=True)  # no file of that name can be written
    deployment.launch("index_books")
    runs = deployment.new_runs()
    assert sorted(run.tags["dagster/partition"] for run in runs if run.job_name == "index_book") == [
        *("alpha", "beta", "gamma")
    ]
    (spread,) = (run for run in runs if run.job_name == "index_books")
    assert not spread.is_success
    assert "not indexed: gamma; the run of each says why" in deployment.failures([spread])

    obstacle.rmdir()
    deployment.launch("index_books")
    runs = deployment.new_runs()
    assert [run.tags.get("dagster/partition") for run in runs if run.job_name == "index_book"] == ["gamma"]
    assert {run.status.value for run in runs} == {"SUCCESS"}
    deployment.launch("index_library")
    assert all(run.is_success for run in deployment.new_runs())
