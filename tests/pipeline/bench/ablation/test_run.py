import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.bench.ablation.run import BASELINES, METRICS
from pipeline.bench.ablation.ways import APART, TRAVERSED, WAYS
from pipeline.cli import app
from retrieval.search.strategies import strategy

BOOK = """# Tiny Rules

## Combat

Daggers are short and cheap.

### Weapons

| Weapon | Damage |
|---|---|
| Dagger | 1d4 |
| Long sword | 1d8 |
| Mace | 1d6 |

## Travel

A ship sails forty miles a day.
"""
QUESTIONS = [
    {"id": "q1", "book": "tiny", "kind": "row", "query": "damage of a mace", "answer": "1d6", "tags": [], "keys": {},
     "gold": [{"heading_path": ["Weapons"], "row_key": "Mace", "snippet": "| Mace | 1d6 |"}]},
    {"id": "q2", "book": "tiny", "kind": "rule", "query": "how far does a ship sail", "answer": "40", "tags": [],
     "keys": {}, "gold": [{"heading_path": ["Travel"], "snippet": "A ship sails forty miles a day."}]},
]  # fmt: skip


def test_every_trial_and_its_baseline_are_strategies() -> None:
    for name, baseline in BASELINES.items():
        assert strategy(name).name == name
        assert strategy(baseline).name == baseline


def test_the_command_compares_and_writes_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "rulebooks"
    (folder / "tiny").mkdir(parents=True)
    (folder / "tiny" / "one.md").write_text(BOOK)
    (folder / "tiny.open.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    page = tmp_path / "docs" / "results" / "search.md"
    arguments = ["--data", str(tmp_path / "data"), "--page", str(page), "--home", str(tmp_path / "home"), "--json"]
    done = CliRunner().invoke(app, ["bench", "ablation", *arguments])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    trials = {trial["strategy"]: trial for trial in found["trials"]}
    assert trials.keys() >= BASELINES.keys() | WAYS.keys()
    assert trials[TRAVERSED]["numbers"]["hit@10"]["value"] == 0.5, "a question names the mace, the other one nothing"
    assert trials[APART]["difference"]["value"] == 0.0, "neither compares"
    assert trials["default"]["numbers"].keys() == METRICS.keys()
    assert trials["default"]["numbers"]["hit@10"]["value"] == 1.0
    assert {(row["base"], row["chapters"]) for row in found["routed"]["rulebooks"]} == {
        (base, count) for base in ("hybrid", "default") for count in (3, 8, 12, 0)
    }
    assert "## Verdicts" in page.read_text("utf-8")


def test_a_folder_without_sets_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no set with the split 'open'"):
        CliRunner().invoke(app, ["bench", "ablation", "--data", str(tmp_path)], catch_exceptions=False)
