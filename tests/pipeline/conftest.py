import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

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
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`querymust` with these arguments, in this process."""

    def runner(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["querymust", *map(str, arguments)])
        capsys.readouterr()
        try:
            cli.main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        return Ran(status, *capsys.readouterr())

    return runner
