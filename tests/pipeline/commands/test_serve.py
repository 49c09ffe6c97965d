"""The server as a process, from a terminal."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from pipeline.commands.serve import PortTakenError, Server, application
from retrieval.files.locks import write_lock
from retrieval.home import Home
from retrieval.serve.api_keys import ApiKeys
from retrieval.serve.worker import VARIABLE, Served
from tests.processes import free_port


@pytest.mark.parametrize(("processes", "key"), [(1, ""), (2, "sk-no-key")])
def test_a_server_answers_until_it_is_told_to_end(sample: Home, processes: int, key: str) -> None:
    port = free_port()
    command = [sys.executable, "-m", "pipeline.cli", "serve", "--home", sample.root, "--port", port]
    command += ["--processes", processes]
    server = subprocess.Popen(
        list(map(str, command)), stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENAI_API_KEY": key}
    )
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until and server.poll() is None:
            try:
                answer = httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=60)
                status = httpx.get(f"http://127.0.0.1:{port}/v1/status", timeout=60).json()
                break
            except httpx.TransportError:
                time.sleep(0.1)
        assert answer.json() == {"status": "ok"}
        assert "What does a 7th level cleric need to roll to hit AC 6?" in status["examples"]
    finally:
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
    assert f"http://127.0.0.1:{port}" in errors
    assert "Traceback" not in errors
    notice = "for each answer, the server sends the question and up to 5 passages to the model gpt-4o-mini at "
    notice += "api.openai.com\n"
    assert (notice in errors) == bool(key)


def test_a_taken_port_is_said_before_any_address_is_shown(run, sample: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, out, errors = run("serve", "--home", sample.root, "--port", port)
    assert (status, out) == (2, "")
    assert errors.startswith(f"error: port {port} of 127.0.0.1 is in use")
    assert len(errors.splitlines()) == 1


def test_without_keys_it_listens_to_this_machine_alone(run, sample: Home) -> None:
    status, _, errors = run("serve", "--home", sample.root, "--host", "0.0.0.0", "--port", free_port(), "--no-keys")
    assert status == 2
    assert "--no-keys would give access to everyone who can reach 0.0.0.0" in errors


def test_a_server_that_rejects_every_request_is_known_before_it_starts(tmp_path: Path) -> None:
    assert not Served(tmp_path).rejects_all
    assert Served(tmp_path, "0.0.0.0").rejects_all
    keys = ApiKeys(tmp_path)
    keys.add("bot", "read")
    assert not Served(tmp_path, "0.0.0.0").rejects_all
    keys.remove("bot")
    assert Served(tmp_path).rejects_all
    assert not Served(tmp_path, no_keys=True).rejects_all


def test_a_server_learns_of_scores_that_came_later_and_searches_as_it_was_told(sample_copy, monkeypatch):
    scores = sample_copy.evaluations
    away = scores.rename(scores.with_name("away"))
    served = Served(sample_copy.root, strategy="bm25")
    monkeypatch.setenv(VARIABLE, TypeAdapter(Served).dump_json(served).decode())
    with TestClient(application(), base_url="http://127.0.0.1") as client:
        scored = "What does a 7th level cleric need to roll to hit AC 6?"
        examples = client.get("/v1/status").json()["examples"]
        assert examples
        assert scored not in examples
        assert client.get("/v1/evaluation").json() is None
        away.rename(scores)
        status = client.get("/v1/status").json()
        assert scored in status["examples"]
        assert status["strategy"] == "bm25"
        query = {"query": "to hit AC 6", "k": 1}
        assert client.post("/v1/retrieve", json=query).json()["strategy"] == "bm25"
        named = client.post("/v1/retrieve", json=query | {"strategy": "dense", "min_relevance": 0}).json()
        assert named["strategy"] == "dense"
        assert 0 <= named["hits"][0]["relevance"] <= 1
        evaluation = client.get("/v1/evaluation").json()
        failed = [each for each in evaluation["questions"] if each["gold"] and each["gold_rank"] != 1]
        answered = [each for each in evaluation["questions"] if each["gold"]]
        assert evaluation["cards"][0]["value"] == str(len(answered) - len(failed))
        assert all(each["first"]["id"] not in {gold["id"] for gold in each["gold"]} for each in failed if each["first"])


ROOT = Path(__file__).parents[3]
VERSION = "{ version workspaceOrError { ... on Workspace { locationEntries { name loadStatus } } } }"
LAUNCH = """mutation ($asked: ExecutionParams!) {
    launchRun(executionParams: $asked) { ... on LaunchRunSuccess { run { runId } } }
}"""
CANCEL = "mutation ($run: String!) { terminateRun(runId: $run) { __typename } }"
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
        result: dict[str, dict[str, object]] = json.load(response)["data"]
    return result


def launch(port: int, job: str) -> str:
    """Start a run as the UI's button does; its id."""
    selector = {"repositoryLocationName": "querymust", "repositoryName": "__repository__", "pipelineName": job}
    query = {"selector": selector, "mode": "default", "runConfigData": "{}"}
    (result,) = ask(port, LAUNCH, asked=query).values()
    return str(result["run"]["runId"])  # type: ignore[index]


def wait_for_status(port: int, run: str, *wanted: str) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        (result,) = ask(port, STATUS, run=run).values()
        if result["status"] in wanted:
            return str(result["status"])
        time.sleep(0.3)
    raise AssertionError(f"{run} is not {wanted}: {result}")


def run_processes(server: int) -> list[int]:
    """The processes that runs of this server are in; each was spawned by the server of the code."""
    lines = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    result = [line.split(maxsplit=2) for line in lines.splitlines()]
    below, grown = {server}, 0
    while grown < len(below):
        grown = len(below)
        below |= {int(pid) for pid, parent, _ in result if int(parent) in below}
    return [int(pid) for pid, _, program in result if int(pid) in below and "spawn_main" in program]


@contextmanager
def served(port: int, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The UI over the home `fresh` in a folder, once it answers; what it shows and says is looked at in the end."""
    program = [sys.executable, "-m", "pipeline.cli", "ui", "--port", str(port), "--home", "fresh"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("DAGSTER", "QUERYMUST"))}
    with subprocess.Popen(
        program,
        cwd=folder,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        deadline = time.monotonic() + 180
        result = None
        while result is None and time.monotonic() < deadline and process.poll() is None:
            try:
                result = ask(port, VERSION)
            except OSError:
                time.sleep(0.3)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
    assert result is not None, output
    assert result["workspaceOrError"]["locationEntries"] == [{"name": "querymust", "loadStatus": "LOADED"}]
    assert output.startswith(
        f"http://127.0.0.1:{port} shows {folder / 'fresh'} in a few seconds; press Ctrl-C to stop.\n"
    )
    assert "enabled: false" in (folder / "fresh" / "dagster" / "dagster.yaml").read_text()


@pytest.mark.slow
def test_it_serves_a_home_that_was_never_built_and_one_run_waits_for_the_other(port: int, tmp_path: Path) -> None:
    with served(port, tmp_path):
        with write_lock(tmp_path / "fresh"):  # so that the run waits for its home and does not end
            first = launch(port, "go_live")
            second = launch(port, "go_live")
            started = wait_for_status(port, first, "STARTED")
            waiting = wait_for_status(port, second, "QUEUED")
            ask(port, CANCEL, run=second)
        ended = wait_for_status(port, first, "FAILURE"), wait_for_status(port, second, "CANCELED")
    assert (started, waiting) == ("STARTED", "QUEUED")
    assert ended == ("FAILURE", "CANCELED"), "nothing is built, so nothing goes live"


@pytest.mark.slow
def test_a_killed_run_gives_its_turn_back(port: int, tmp_path: Path) -> None:
    with served(port, tmp_path) as process:
        with write_lock(tmp_path / "fresh"):
            first = launch(port, "index_library")
            wait_for_status(port, first, "STARTED")
            second = launch(port, "go_live")
            (killed,) = run_processes(process.pid)
            os.kill(killed, signal.SIGKILL)
            lost = wait_for_status(port, first, "FAILURE", "CANCELED")
            next_one = wait_for_status(port, second, "STARTED")
        ended = wait_for_status(port, second, "FAILURE")
    assert (lost, next_one, ended) == ("FAILURE", "STARTED", "FAILURE"), "nothing is built, so nothing goes live"


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(PortTakenError, match="choose another port with --port"):
            Server(Home(tmp_path), port=taken.getsockname()[1]).check_port()


def test_it_works_in_another_folder_so_paths_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"QUERYMUST_LIBRARY": "books", "QUERYMUST_QUESTIONS": "a.jsonl:b.jsonl", "PATH": "/bin"}
    environment = Server(Home(tmp_path / "home")).environment(given)
    assert environment["QUERYMUST_LIBRARY"] == str(tmp_path / "books")
    assert environment["QUERYMUST_QUESTIONS"] == f"{tmp_path / 'a.jsonl'}:{tmp_path / 'b.jsonl'}"
    assert environment["DAGSTER_HOME"] == str(tmp_path / "home" / "dagster")
    assert environment["DAGSTER_DISABLE_TELEMETRY"] == "1"
    assert environment["PATH"] == "/bin"


BACKGROUND = """
import signal, sys
from pathlib import Path
from pipeline.commands.serve import Server
from retrieval.home import Home

class Shown(Server):
    def command(self):
        return [sys.executable, "-c", "import signal; print(signal.getsignal(signal.SIGINT).__name__)"]

signal.signal(signal.SIGINT, signal.SIG_IGN)
home = Home.at(Path(sys.argv[1]))
home.dagster.mkdir(parents=True)
Shown(home).become()
"""
"""A shell has what it starts in the background ignore INT; Dagster ends at TERM only if it does at INT."""


def test_the_ui_ends_at_term_in_the_background_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BACKGROUND, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "default_int_handler"
