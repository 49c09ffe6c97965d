"""Every service of compose.yaml but PostgreSQL's image under way at once, started as the page says."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from pipeline.runs.in_process import dagster_instance
from retrieval.home import Home
from tests.conftest import write_book
from tests.deploy.conftest import PASSWORD, Postgres
from tests.deploy.outcome import left_by, results_file
from tests.deploy.services import ROOT, SECONDS, Stack, stack_of
from tests.processes import free_port

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, and Dagster's
DAEMONS = {"SENSOR", "SCHEDULER", "QUEUED_RUN_COORDINATOR"}
LAUNCH = """mutation { launchRun(executionParams: {runConfigData: "{}", mode: "default", selector: {
    repositoryLocationName: "querymust", repositoryName: "__repository__", jobName: "index_books"}})
    { __typename ... on LaunchRunSuccess { run { runId } } } }"""


@pytest.mark.slow
def test_the_services_of_compose_build_and_answer_as_one_embedded_home_does(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dagster_dask", reason="dagster-dask is not installed; pip install -e '.[dask]' brings it")
    ports = {port: free_port() for port in ("8000", "4266", "3000", "8786", "8377")} | {"5432": postgres.port}
    write_library(tmp_path)
    write_pgpass(tmp_path / "secrets")
    with stack_of(tmp_path, {}, ports) as stack:
        for services in (("chroma",), ("code", "scheduler"), ("ui", "daemon")):  # as they wait for each other
            stack.start(*services)
            for service in services:
                stack.check_health(service)
        stack.start("workers")
        stack.wait_for("ui", "/server_info", "dagster_version")
        stack.run("daemon", "querymust", "build")
        key = stack.run("api", "querymust", "keys", "add", "bot").strip()
        stack.start("api")
        stack.check_health("api")
        address, query = f"http://127.0.0.1:{ports['8377']}/v1/retrieve", {"query": "what is the price of a mace"}
        assert posted(address, query, {"X-API-Key": key})["hits"][0]["title"] == "Arms - mace"

        environment = stack.environment("daemon")
        for name, output in environment.items():
            monkeypatch.setenv(name, output)
        deployed = Home.at(tmp_path / "home")
        with dagster_instance(deployed) as instance:
            with one_more_row(tmp_path / "library" / "food" / "01.md"):
                answer = posted(f"http://127.0.0.1:{ports['3000']}/graphql", {"query": LAUNCH}, {})
                run_id = answer["data"]["launchRun"]["run"]["runId"]
                wait_for_success(stack, instance, run_id)
            (run,) = instance.get_runs(dg.RunsFilter(tags={"querymust/lanes": run_id}))
            assert (run.tags["dagster/partition"], run.is_success) == ("food", True), "only what changed is indexed"
            assert instance.get_daemon_heartbeats().keys() >= DAEMONS
        assert stack.is_alive()
        results = results_file(deployed.root, tmp_path / "deployed.json", environment)

    bare = {name: output for name, output in os.environ.items() if not name.startswith("QUERYMUST_")}
    bare |= {"QUERYMUST_LIBRARY": str(tmp_path / "library")}
    command = [sys.executable, "-m", "pipeline.cli", "build", "--home", str(tmp_path / "embedded")]
    subprocess.run(command, cwd=ROOT, env=bare, check=True, capture_output=True)
    assert results == results_file(tmp_path / "embedded", tmp_path / "embedded.json", bare)
    assert left_by(deployed) == left_by(Home.at(tmp_path / "embedded"))


def write_pgpass(folder: Path) -> None:
    """The password in a file that is nobody else's to read, as PostgreSQL's clients want it."""
    folder.mkdir()
    (folder / "pgpass").touch(0o600)
    (folder / "pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")


def write_library(folder: Path) -> None:
    """Two books, and two homes that ask the same questions of them."""
    items = {"arms": ["dagger", "mace", "long sword"], "food": ["bread", "ale", "salt"]}
    query = [write_book(folder / "library", name, name.title(), rows) for name, rows in items.items()]
    moved = [str(path.rename(folder / path.name)) for path in query]
    for home in ("home", "embedded"):
        (folder / home).mkdir()
        (folder / home / "rag.yaml").write_text(yaml.safe_dump({"questions": moved}))


@contextmanager
def one_more_row(path: Path) -> Iterator[None]:
    before = path.read_text()
    path.write_text(before + "| cheese | 5 gp | 1 lb |\n")
    yield
    path.write_text(before)


def posted(address: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


def wait_for_success(stack: Stack, instance: dg.DagsterInstance, run_id: str) -> None:
    until, run = time.monotonic() + SECONDS, None
    while run is None or not run.is_finished:
        assert time.monotonic() < until, f"{run and run.status} {stack.log('daemon')} {stack.log('code')}"
        time.sleep(0.3)
        run = instance.get_run_by_id(run_id)
    assert run.is_success, [entry.user_message for entry in instance.all_logs(run_id)]
