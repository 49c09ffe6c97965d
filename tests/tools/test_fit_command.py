import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retrieval.errors import RetrievalError
from retrieval.search.rerank.rerank import TREES_FILE
from retrieval.search.rerank.trees import Trees
from tools.cli import app
from tools.fit import trees
from tools.fit.trees import TreesReport


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_QUESTIONS", 8)


def fit(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["fit", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.usefixtures("lightgbm")
def test_trees_are_fitted_and_told_as_numbers_and_as_a_page(small_sets: Path, home: Path) -> None:
    before = TREES_FILE.read_bytes() if TREES_FILE.exists() else None
    told = json.loads(fit("trees", "--data", small_sets, "--home", home, "--json"))
    page = fit("trees", "--data", small_sets, "--home", home)

    assert told["n_nodes"] > 0
    assert {row["group"] for row in told["found"]} == {"arms", "camp", "wikisql-rows.open"}
    for row in told["found"]:
        assert f"| {row['group']} | {row['kind'] or 'search'} | {row['left_out']['n']} |" in page
    assert page.startswith("# The LambdaMART model of `default`")
    assert (TREES_FILE.read_bytes() if TREES_FILE.exists() else None) == before


def test_trees_without_lightgbm_say_what_to_install(small_sets, home, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)

    with pytest.raises(RetrievalError, match=r"pip install .*'lightgbm"):
        fit("trees", "--data", small_sets, "--home", home)


def test_what_cannot_be_fitted_is_refused(small_sets: Path) -> None:
    done = CliRunner().invoke(app, ["fit", "forests", "--data", str(small_sets)])

    assert done.exit_code == 2
    assert "trees" in done.output
    assert "cells" in done.output
    assert "relevance" in done.output


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="no set with the split 'open'"):
        fit("trees", "--data", tmp_path, "--home", tmp_path)


def test_what_the_gate_refuses_is_not_written_unless_it_is_forced(tmp_path, monkeypatch):
    shipped = tmp_path / "trees.json"
    refusal = "arms: mrr is below that of what ships"
    report = TreesReport(Trees.read(TREES_FILE), "wordllama", (), (refusal,))
    monkeypatch.setattr(trees, "learn_trees", lambda *_: report)
    monkeypatch.setattr(TreesReport, "write", lambda *_: shipped.touch())
    query = ["fit", "trees", "--data", str(tmp_path), "--home", str(tmp_path), "--json"]

    refused = CliRunner().invoke(app, [*query, "--write"])
    assert (refused.exit_code, shipped.exists()) == (1, False)
    assert "the gate refuses it: arms: mrr is below that of what ships" in refused.stderr
    assert CliRunner().invoke(app, query).exit_code == 0
    assert CliRunner().invoke(app, [*query, "--write", "--force"]).exit_code == 0
    assert shipped.exists()
