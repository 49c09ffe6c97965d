"""One built sample home for the whole session; a test that changes it works on a copy."""

import shutil
from pathlib import Path

import pytest

from pipeline.build import Build, build
from pipeline.commands.quickstart import SAMPLE_LIBRARY, SAMPLE_QUESTIONS
from retrieval.home import Home
from retrieval.settings import Settings

TINY_BOOK = """# Tiny Rules

Daggers are short and cheap. A dagger is drawn in a moment.

## Weapons

| Weapon | Damage | Cost |
|---|---|---|
| Dagger | 1d4 | 2 gp |
| Long sword | 1d8 | 15 gp |
| Mace | 1d6 | 8 gp |
"""


@pytest.fixture(scope="session")
def sample_build(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Build]:
    """The packaged sample library and its questions, built once and never changed, and what the build did."""
    home = Home(tmp_path_factory.mktemp("sample") / "home", Settings(SAMPLE_LIBRARY, (SAMPLE_QUESTIONS,)))
    home.settings.write(home.root)
    return home, build(home)


@pytest.fixture(scope="session")
def sample(sample_build: tuple[Home, Build]) -> Home:
    """The built sample home."""
    home, done = sample_build
    assert done.problems == []
    return home


@pytest.fixture(scope="session")
def tiny_built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A library of one small book without questions, built once; copy it before changing it."""
    folder = tmp_path_factory.mktemp("tiny")
    write_book(folder / "library" / "tiny", TINY_BOOK)
    home = Home(folder / "home", Settings(folder / "library"))
    home.settings.write(home.root)
    assert build(home).problems == []
    return home


@pytest.fixture
def tiny(tiny_built: Home, tmp_path: Path) -> Home:
    """A copy of the small built home, with a copy of its library, to be changed."""
    shutil.copytree(tiny_built.root, tmp_path / "home")
    shutil.copytree(tiny_built.library, tmp_path / "library")
    home = Home(tmp_path / "home", Settings(tmp_path / "library"))
    home.settings.write(home.root)
    return home


def write_book(folder: Path, text: str | bytes, name: str = "01.md") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
