"""What an asset runs: of a small package that is edited, and of the real assets."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.building import code_versions
from pipeline.building.code_versions import running_version
from pipeline.definitions import load

FILES = {
    "__init__.py": "",
    "assets.py": """
from typing import TYPE_CHECKING
from toy.given import read

if TYPE_CHECKING:
    from toy.types_only import Shape

LIMIT = 3

def asset(label):
    return lambda function: function

@asset("first")
def made(shape: "Shape"):
    from toy.late import join
    return join(read()[:LIMIT])

@asset("second")
def other():
    return 2
""",
    "given.py": "from toy.reading import read\n",
    "reading.py": "def read():\n    return [1]\n\ndef write():\n    return 1\n",
    "late.py": "def join(items):\n    return items\n",
    "types_only.py": "class Shape:\n    pass\n",
    "words.toml": "a = 1\n",
    "deep/__init__.py": "",
    "deep/words.toml": "a = 1\n",
}


@pytest.fixture
def version_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """The version of `made` once a text of a file was replaced."""
    root = tmp_path / "toy"
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(code_versions, "_PACKAGES", {"toy": importlib.import_module("toy")})
    function = importlib.import_module("toy.assets").made

    def version(name: str = "assets.py", before: str = "", after: str = "") -> str:
        text = (root / name).read_text()
        assert before in text
        (root / name).write_text(text.replace(before, after) if before else text)
        code_versions._source.cache_clear()
        result = running_version(function)
        (root / name).write_text(text)
        return result

    yield version
    code_versions._source.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("assets.py", "LIMIT = 3", "LIMIT = 4"),
        ("assets.py", "return join", "return 2 * join"),
        ("reading.py", "return [1]", "return [2]"),
        ("late.py", "return items", "return items[0]"),
        ("words.toml", "a = 1", "a = 2"),
    ],
)
def test_what_it_runs_is_another_version(version_after: Callable[..., str], name: str, before: str, after: str) -> None:
    assert version_after(name, before, after) != version_after()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("assets.py", "return 2\n", "return 3\n"),
        ("assets.py", '"first"', '"third"'),
        ("reading.py", "return 1\n", "return 2\n"),
        ("types_only.py", "pass", "size = 2"),
        ("deep/words.toml", "a = 1", "a = 2"),
    ],
)
def test_what_it_does_not_run_changes_nothing(version_after, name, before, after):
    assert version_after(name, before, after) == version_after()


def test_the_folder_that_a_package_of_the_same_name_left_behind_changes_nothing(version_after, tmp_path):
    before = version_after()
    (tmp_path / "toy" / "reading" / "__pycache__").mkdir(parents=True)
    assert version_after() == before


def test_each_asset_counts_its_own_code() -> None:
    texts = {
        name: "\n".join(code_versions._reached(module, name))
        for module, name in (
            ("pipeline.defs.books", "books"),
            ("pipeline.defs.index", "lexical"),
            ("evals.assets", "leaderboard"),
        )
    }
    assert {name for name, text in texts.items() if "class Retriever:" in text} == {"leaderboard"}
    assert {name for name, text in texts.items() if "class LexicalIndex:" in text} == {"lexical", "leaderboard"}
    assert {name for name, text in texts.items() if "def split_front_matter(" in text} == {"books"}


def test_every_asset_that_is_made_here_has_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_versions, "KEPT", tmp_path / "kept.json")
    versions = [{spec.key: spec.code_version for spec in load().resolve_all_asset_specs()} for _ in range(2)]
    assert versions[0] == versions[1], "kept or not"
    unversioned = {key.to_user_string() for key, version in versions[0].items() if version is None}
    assert unversioned == {"book_folders", "question_files"}
