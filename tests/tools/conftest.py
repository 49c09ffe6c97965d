from collections.abc import Callable

import pytest

from tests.pipeline.conftest import Ran, running
from tools import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`python -m tools` with these arguments, in this process."""
    return running(cli.main, "python -m tools", monkeypatch, capsys)
