"""What `querymust ui` starts: a real server on a fresh home, and what it is given."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from pipeline.runs.webserver import PortTakenError, Server
from retrieval.home import Home

ROOT = Path(__file__).parents[3]
VERSION = {"query": "{ version workspaceOrError { ... on Workspace { locationEntries { name loadStatus } } } }"}


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def answer(port: int) -> dict[str, dict[str, object]]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/graphql", json.dumps(VERSION).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        found: dict[str, dict[str, object]] = json.load(response)["data"]
    return found


def test_it_serves_a_home_that_was_never_built_and_prints_one_line(port: int, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "pipeline.cli", "ui", "--port", str(port), "--home", "fresh"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("DAGSTER", "QUERYMUST"))}
    with subprocess.Popen(
        program,
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- no thread runs here
    ) as process:
        deadline = time.monotonic() + 180
        found = None
        while found is None and time.monotonic() < deadline and process.poll() is None:
            try:
                found = answer(port)
            except OSError:
                time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert found is not None, said
    assert found["workspaceOrError"]["locationEntries"] == [{"name": "querymust", "loadStatus": "LOADED"}]
    assert said == f"http://127.0.0.1:{port} shows {tmp_path / 'fresh'} in some seconds; Ctrl-C ends it.\n"
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
