import json
import sys

import pytest
from typer.testing import CliRunner

from pipeline.bench.metrics import run_metrics
from pipeline.cli import app


def test_the_means_are_pytrec_evals() -> None:
    report = run_metrics(200, seed=5)
    assert report.metrics == ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "recall@10", "precision@15", "f1")
    assert report.largest_difference < 1e-9


def test_the_command_prints_one_object() -> None:
    done = CliRunner().invoke(app, ["bench", "metrics", "--questions", "50", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout)["questions"] == 50


def test_without_the_extra_it_says_so_and_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    done = CliRunner().invoke(app, ["bench", "metrics"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "skipped: ir_measures is not installed" in done.stderr
