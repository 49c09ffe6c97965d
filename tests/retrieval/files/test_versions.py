import tomllib
from pathlib import Path

from retrieval.files.versions import EXTRAS, REQUIRED, install, sources

ROOT = Path(__file__).parents[3]


def test_what_is_advised_is_what_the_extras_of_the_distribution_bring() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {name: tuple(project["optional-dependencies"][name]) for name in EXTRAS} == EXTRAS
    assert all(set(needed) <= set(project["dependencies"]) for needed in REQUIRED.values())


def test_the_advice_is_one_line_for_a_shell() -> None:
    assert install("st") == "pip install 'sentence-transformers>=5'"
    assert "\n" not in install("minilm")


def test_sources_are_named_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "code.py").write_text("1")
    (tmp_path / "room" / "code.pyc").write_text("2")
    assert list(sources(tmp_path, "p/")) == [b"p/room/code.py\0", b"1"]
