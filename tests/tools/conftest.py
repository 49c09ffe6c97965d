from collections.abc import Callable

import pytest

from retrieval.types import Chunk
from tests.evals.conftest import build_chunk
from tests.pipeline.conftest import Ran, running
from tools import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`python -m tools` with these arguments, in this process."""
    return running(cli.main, "python -m tools", monkeypatch, capsys)


@pytest.fixture(scope="session")
def make_chunk() -> Callable[..., Chunk]:
    return build_chunk
