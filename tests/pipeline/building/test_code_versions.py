"""Code versions of the real assets, whose program is edited."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import pipeline
import retrieval
from pipeline.building import code_versions
from pipeline.definitions import load


def versions() -> dict[str, str | None]:
    return {spec.key.to_user_string(): spec.code_version for spec in load().resolve_all_asset_specs()}


@pytest.fixture
def version_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return the version of what makes an index, of a copy of the program to whose file a line is appended."""
    for package in (retrieval, pipeline):
        copied = tmp_path / package.__name__
        shutil.copytree(package.__path__[0], copied, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(package, "__path__", [str(copied)])

    def version(name: str = "") -> str:
        if name:
            with (tmp_path / name).open("a") as file:
                file.write("\n")
        return code_versions.building_version.__wrapped__()

    return version


@pytest.mark.parametrize(
    "name",
    [
        "retrieval/ingest/chunking.py",
        "retrieval/language/english.toml",
        "retrieval/types.py",
        "pipeline/building/book_records.py",
        "pipeline/defs/books.py",
    ],
)
def test_a_change_to_what_makes_an_index_is_another_version(version_after: Callable[[str], str], name: str) -> None:
    assert version_after("") != version_after(name)


@pytest.mark.parametrize(
    "name", ["retrieval/search/retriever.py", "retrieval/rag/answerer.py", "pipeline/commands/show.py"]
)
def test_a_change_to_the_search_changes_no_version_of_an_index(version_after: Callable[[str], str], name: str) -> None:
    assert version_after("") == version_after(name)


def test_assets_that_evaluate_have_the_version_of_the_whole_program() -> None:
    of_asset = versions()
    assert of_asset["chunks"] == of_asset["candidate_index"] == code_versions.building_version()
    assert of_asset["evaluation"] == of_asset["leaderboard"] != of_asset["chunks"]


def test_every_asset_that_is_made_here_has_a_version() -> None:
    assert {name for name, version in versions().items() if version is None} == {"book_folders", "question_files"}
