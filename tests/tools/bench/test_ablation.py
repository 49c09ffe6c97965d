import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.significance import Interval
from tools.bench.ablation import (
    ALIASED,
    APART,
    BASELINES,
    METRICS,
    UNALIASED,
    WAYS,
    Ablation,
    Number,
    Trial,
    ablation_page,
    verdict,
)
from tools.cli import app

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


def test_the_command_compares_and_writes_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "rulebooks"
    (folder / "tiny").mkdir(parents=True)
    (folder / "tiny" / "one.md").write_text(BOOK)
    (folder / "tiny.open.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    page = tmp_path / "docs" / "results" / "search.md"
    arguments = ["--data", str(tmp_path / "data"), "--page", str(page), "--home", str(tmp_path / "home"), "--json"]
    done = CliRunner().invoke(app, ["bench", "ablation", *arguments])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    trials = {trial["strategy"]: trial for trial in result["trials"]}
    assert trials.keys() >= BASELINES.keys() | WAYS.keys()
    assert trials[APART]["difference"]["value"] == 0.0, "neither compares"
    assert trials["default"]["numbers"].keys() == METRICS.keys()
    assert trials["default"]["numbers"]["hit@10"]["value"] == 1.0
    assert "## Verdicts" in page.read_text("utf-8")


def test_a_folder_without_sets_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no set with the split 'open'"):
        CliRunner().invoke(app, ["bench", "ablation", "--data", str(tmp_path)], catch_exceptions=False)


def number(value: float, low: float, high: float) -> Number:
    return Number(value, Interval(low, high))


NUMBERS = {"mrr": number(0.5, 0.4, 0.6), "hit@1": number(0.25, 0.1, 0.4), "hit@10": number(0.75, 0.7, 0.8)}
TRIAL = Trial("ttrpg", "hybrid_graph", 80, NUMBERS, "hybrid", number(0.0, -0.1, 0.1), 0.5)
BETTER = replace(TRIAL, set="wtq-rows", difference=number(0.05, 0.01, 0.09))
WORSE = replace(TRIAL, set="passages", difference=number(-0.05, -0.09, -0.01))


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        ([TRIAL], "no: no set differs beyond its interval"),
        ([TRIAL, BETTER], "yes: better on wtq-rows, worse nowhere"),
        ([BETTER, WORSE], "no: worse on passages, better on wtq-rows"),
        ([TRIAL, WORSE], "no: worse on passages"),
    ],
)
def test_a_thing_is_kept_where_it_gains_beyond_chance_and_loses_nowhere(trials: list[Trial], said: str) -> None:
    assert verdict(trials) == said


def test_the_page_shows_every_number_with_its_interval() -> None:
    base = Trial("ttrpg", "hybrid", 80, NUMBERS, None, None, None)
    aliases = [replace(base, strategy=ALIASED), replace(TRIAL, strategy=UNALIASED, baseline=ALIASED)]
    page = ablation_page(Ablation("open", "toy 1", (TRIAL, base, *aliases)))
    assert (
        "| `hybrid_graph` | 0.250 (0.100 to 0.400) | 0.750 (0.700 to 0.800) | 0.500 (0.400 to 0.600) "
        "| `hybrid` | +0.000 (-0.100 to +0.100) | 0.500 |" in page
    )
    assert "| `hybrid` | 0.250 (0.100 to 0.400) | 0.750 (0.700 to 0.800) | 0.500 (0.400 to 0.600) | - | - | - |" in page
    assert "| `hybrid_graph` | graph boost over all six relations | `hybrid` | no: no set differs beyond " in page
    assert "## Tried and removed" in page
    assert "| `default+routing3` | three chapters, always | `default` | no: worse on wikisql-rows" in page


def test_the_committed_page_has_what_the_next_run_would_write_below_its_verdicts() -> None:
    root = Path(__file__).parents[3]
    kept = (root / "tools" / "bench" / "left_out.md").read_text("utf-8")
    assert kept in (root / "docs" / "results" / "search.md").read_text("utf-8")
