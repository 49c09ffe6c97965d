"""Processes of a server."""

import json
import os
from pathlib import Path

import pytest
import uvicorn

from retrieval.serve.worker import THREADS, VARIABLE, Served, threads_of_each


def serve(monkeypatch: pytest.MonkeyPatch, said: str | None, processes: int) -> None:
    for name in (THREADS, VARIABLE):
        monkeypatch.setenv(name, said or "")  # what is set meanwhile is taken back
    if said is None:
        monkeypatch.delenv(THREADS)
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: None)
    Served(Path("home"), processes=processes).run()


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
def test_several_processes_are_told_their_threads(
    processes: int, said: str | None, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, said, max(processes, 2))
    assert os.environ[THREADS] == found
    assert json.loads(os.environ[VARIABLE])["processes"] == max(processes, 2)


def test_one_process_keeps_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, None, 1)
    assert THREADS not in os.environ
