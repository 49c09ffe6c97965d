"""A home with a history of snapshots."""

import shutil
from pathlib import Path

import pytest

from retrieval.index.snapshot.live import (
    promote,
)
from tests.retrieval.index.conftest import build


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Seven snapshots, in the order in which they were built."""
    home = tmp_path_factory.mktemp("seven")
    return home, [build(home, 5 + number).id for number in range(7)]


@pytest.fixture
def many(seven: tuple[Path, list[str]], tmp_path: Path) -> tuple[Path, list[str]]:
    """A home in which six snapshots were live one after the other, and the seventh is the candidate."""
    home, ids = seven
    shutil.copytree(home, tmp_path / "home")
    for each in ids[:6]:
        promote(tmp_path / "home", each)
    return tmp_path / "home", ids
