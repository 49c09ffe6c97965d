"""What `querymust ui` starts: a real server on a fresh home, and what it is given."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from pipeline.runs.webserver import PortTakenError, Server
from retrieval.home import Home
from retrieval.write_lock import write_lock
from tests.processes import hearing_ctrl_c

ROOT = Path(__file__).parents[3]
VERSION = "{ version workspaceOrError { ... on Workspace { locationEntries { name loadStatus } } } }"
LAUNCH = """mutation ($asked: ExecutionParams!) {
    launchRun(executionParams: $asked) { ... on LaunchRunSuccess { run { runId } } }
}"""
STATUS = "query ($run: ID!) { runOrError(runId: $run) { ... on Run { status } } }"


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def ask(port: int, query: str, **variables: object) -> dict[str, dict[str, object]]:
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        found: dict[str, dict[str, object]] = json.load(response)["data"]
    return found


def launch(port: int, job: str) -> str:
    """Start a run as the UI's button does; its id."""
    selector = {"repositoryLocationName": "querymust", "repositoryName": "__repository__", "pipelineName": job}
    asked = {"selector": selector, "mode": "default", "runConfigData": "{}"}
    (found,) = ask(port, LAUNCH, asked=asked).values()
    return str(found["run"]["runId"])  # type: ignore[index]


def wait_for_status(port: int, run: str, *wanted: str) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        (found,) = ask(port, STATUS, run=run).values()
        if found["status"] in wanted:
            return str(found["status"])
        time.sleep(0.3)
    raise AssertionError(f"{run} is not {wanted}: {found}")


def run_processes(server: int) -> list[int]:
    """The processes that runs of this server are in; each was spawned by the server of the code."""
    lines = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    found = [line.split(maxsplit=2) for line in lines.splitlines()]
    below, grown = {server}, 0
    while grown < len(below):
        grown = len(below)
        below |= {int(pid) for pid, parent, _ in found if int(parent) in below}
    return [int(pid) for pid, _, program in found if int(pid) in below and "spawn_main" in program]


def test_it_serves_a_home_that_was_never_built_and_a_killed_run_gives_its_turn_back(port: int, tmp_path: Path) -> None:
    program = hearing_ctrl_c("-m", "pipeline.cli", "ui", "--port", str(port), "--home", "fresh")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("DAGSTER", "QUERYMUST"))}
    with subprocess.Popen(
        program,
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        deadline = time.monotonic() + 180
        found = None
        while found is None and time.monotonic() < deadline and process.poll() is None:
            try:
                found = ask(port, VERSION)
            except OSError:
                time.sleep(0.3)
        try:
            with write_lock(tmp_path / "fresh"):  # so that the run waits for its home and does not end
                first = launch(port, "index_library")
                wait_for_status(port, first, "STARTED")
                second = launch(port, "go_live")
                (killed,) = run_processes(process.pid)
                os.kill(killed, signal.SIGKILL)
                lost = wait_for_status(port, first, "FAILURE", "CANCELED")
                next_one = wait_for_status(port, second, "STARTED")
            ended = wait_for_status(port, second, "FAILURE")
        finally:
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
    assert found is not None, said
    assert found["workspaceOrError"]["locationEntries"] == [{"name": "querymust", "loadStatus": "LOADED"}]
    assert (lost, next_one, ended) == ("FAILURE", "STARTED", "FAILURE"), "nothing is built, so nothing goes live"
    assert said.startswith(f"http://127.0.0.1:{port} shows {tmp_path / 'fresh'} in some seconds; Ctrl-C ends it.\n")
    assert "enabled: false" in (tmp_path / "fresh" / "dagster" / "dagster.yaml").read_text()


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(PortTakenError, match="name another with --port"):
            Server(Home(tmp_path), port=taken.getsockname()[1]).check_port()


def test_it_works_in_another_folder_so_paths_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"QUERYMUST_LIBRARY": "books", "QUERYMUST_QUESTIONS": "a.jsonl:b.jsonl", "PATH": "/bin"}
    found = Server(Home(tmp_path / "home")).environment(given)
    assert found["QUERYMUST_LIBRARY"] == str(tmp_path / "books")
    assert found["QUERYMUST_QUESTIONS"] == f"{tmp_path / 'a.jsonl'}:{tmp_path / 'b.jsonl'}"
    assert found["DAGSTER_HOME"] == str(tmp_path / "home" / "dagster")
    assert found["DAGSTER_DISABLE_TELEMETRY"] == "1"
    assert found["PATH"] == "/bin"
