"""The command of the tools without a process of its own."""

import sys
from collections.abc import Callable

import pytest

from tests.pipeline.conftest import Ran
from tools import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `python -m tools` with these arguments; what it left."""

    def runner(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["python -m tools", *map(str, arguments)])
        capsys.readouterr()
        try:
            cli.main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        return Ran(status, *capsys.readouterr())

    return runner
