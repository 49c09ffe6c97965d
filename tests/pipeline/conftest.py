import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import dagster as dg
import pytest

from pipeline import cli


class Ran(NamedTuple):
    """What a command left: its exit status, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def running(main, name, monkeypatch, capsys):
    """A function that runs a command-line program with its arguments, in this process."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`querymust` with these arguments, in this process."""
    return running(cli.main, "querymust", monkeypatch, capsys)


@pytest.fixture
def printed(run: Callable[..., Ran]) -> Callable[..., str]:
    """What `querymust` prints with these arguments: its results, or its errors where another status is expected."""

    def printed(*arguments: object, status: int = 0) -> str:
        done = run(*arguments)
        assert done.status == status, done.err
        return done.err if status else done.out

    return printed
