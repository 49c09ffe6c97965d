import json
import sys

import pytest
from typer.testing import CliRunner

from tools.bench.metrics import run_metrics
from tools.cli import app, main


def test_the_means_are_pytrec_evals() -> None:
    report = run_metrics(200, seed=5)
    assert report.metrics == ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "recall@10", "precision@15", "f1")
    assert report.largest_difference < 1e-9


def test_the_command_prints_one_object() -> None:
    done = CliRunner().invoke(app, ["bench", "metrics", "--questions", "50", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout)["questions"] == 50


@pytest.mark.parametrize(("command", "library"), [("metrics", "ir_measures"), ("scale", "bm25s")])
def test_without_the_extra_it_says_in_one_line_what_to_install(
    command: str, library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(sys, "argv", ["python -m tools", "bench", command])
    with pytest.raises(SystemExit) as stop:
        main()
    readouterr = capsys.readouterr()
    assert (stop.value.code, readouterr.out) == (2, "")
    assert readouterr.err.startswith(f"error: {library} is not installed")
    assert readouterr.err.strip().endswith("run: pip install -e '.[dev]'")
    assert len(readouterr.err.strip().splitlines()) == 1
