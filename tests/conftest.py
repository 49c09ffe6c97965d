"""Homes that are built once for the whole session; a test that changes one works on a copy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS
from retrieval.home import Home
from retrieval.settings import Settings

if TYPE_CHECKING:
    from pipeline.runs.build import Build

SAMPLE = Settings(SAMPLE_LIBRARY, (SAMPLE_QUESTIONS,))

TINY_BOOK = """# Tiny Rules

Daggers are short and cheap. A dagger is drawn in a moment.

## Weapons

| Weapon | Damage | Cost |
|---|---|---|
| Dagger | 1d4 | 2 gp |
| Long sword | 1d8 | 15 gp |
| Mace | 1d6 | 8 gp |
"""


def _built(home: Home) -> Build:
    from pipeline.runs.build import build  # loads Dagster, which most tests do without

    return build(home)


@pytest.fixture(scope="session")
def sample_build(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Build]:
    """The packaged sample library with its questions, and what its build did."""
    home = Home(tmp_path_factory.mktemp("sample") / "home", SAMPLE)
    return home, _built(home)


@pytest.fixture(scope="session")
def sample(sample_build: tuple[Home, Build]) -> Home:
    """The built sample home. Never change it."""
    home, done = sample_build
    assert done.problems == []
    return home


@pytest.fixture(scope="session")
def tiny_built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A library of one small book without questions, built. Never change it."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "library" / "tiny").mkdir(parents=True)
    (folder / "library" / "tiny" / "01.md").write_text(TINY_BOOK)
    home = Home(folder / "home", Settings(folder / "library"))
    assert _built(home).problems == []
    return home


@pytest.fixture
def tiny(tiny_built: Home, tmp_path: Path) -> Home:
    """A copy of the small built home and of its library, to be changed."""
    shutil.copytree(tiny_built.root, tmp_path / "home")
    shutil.copytree(tiny_built.library, tmp_path / "library")
    home = Home(tmp_path / "home", Settings(tmp_path / "library"))
    home.settings.write(home.root)
    return home
