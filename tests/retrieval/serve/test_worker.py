"""Processes of a server."""

import json
import os
from pathlib import Path

import pytest
import uvicorn
from uvicorn.supervisors import Multiprocess

from retrieval.errors import ListeningError
from retrieval.serve.worker import THREADS, VARIABLE, Served, threads_of_each
from tests.processes import free_port


def serve(monkeypatch: pytest.MonkeyPatch, said: str | None, processes: int) -> None:
    for name in (THREADS, VARIABLE):
        monkeypatch.setenv(name, said or "")  # what is set meanwhile is taken back
    if said is None:
        monkeypatch.delenv(THREADS)
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, **_: setattr(server, "started", True))
    monkeypatch.setattr(Multiprocess, "run", lambda *_: None)
    served = Served(Path("home"), port=free_port(), processes=processes)
    with served.listen() as listener:
        served.run(listener)


@pytest.mark.parametrize(("processes", "cores", "threads"), [(2, 2, 1), (2, 8, 4), (3, 8, 2), (8, 2, 1)])
def test_processes_share_the_cores(processes: int, cores: int, threads: int) -> None:
    assert threads_of_each(processes, cores) == threads


@pytest.mark.parametrize(
    ("processes", "said", "found"),
    [
        pytest.param(os.cpu_count() or 1, None, "1", id="a core each"),
        pytest.param(2, "7", "7", id="what the user said stays"),
    ],
)
def test_several_processes_are_told_their_threads(processes, said, found, monkeypatch):
    serve(monkeypatch, said, max(processes, 2))
    assert os.environ[THREADS] == found
    assert json.loads(os.environ[VARIABLE])["processes"] == max(processes, 2)


def test_one_process_keeps_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, None, 1)
    assert THREADS not in os.environ


def test_a_taken_port_is_one_sentence_that_names_another() -> None:
    served = Served(Path("home"), port=free_port())
    with (
        served.listen(),
        pytest.raises(ListeningError, match=rf"port {served.port} of 127.0.0.1 is in use .*--port {served.port + 1}$"),
    ):
        served.listen()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(ListeningError, match=f"of {host} .*--host and --port"):
        Served(Path("home"), host=host, port=free_port()).listen()
