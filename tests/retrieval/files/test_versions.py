import tomllib
from pathlib import Path

from retrieval.files.versions import EXTRAS, install

ROOT = Path(__file__).parents[3]


def test_what_is_advised_is_what_the_extras_of_the_distribution_bring() -> None:
    load = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {name: tuple(load[name]) for name in EXTRAS} == dict(EXTRAS)


def test_the_advice_is_one_line_for_a_shell() -> None:
    assert install("st") == "pip install 'sentence-transformers>=5'"
    assert "\n" not in install("minilm")
