"""What a build left in its home, for a comparison byte for byte; what may differ is named here, field by field."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq

from evals.evaluation import HEADLINE
from retrieval.home import Home

ROOT = Path(__file__).parents[2]
TIMES = {"p50_ms", "p95_ms", "round_ms"}
"""Columns of the leaderboard that are milliseconds."""
TIMINGS = ".timings.parquet"


def left_by(home: Home) -> dict[str, bytes]:
    """Every file of the snapshot and of its scores, without its times."""
    result = {}
    for folder in ("evaluations", "snapshots"):
        for path in sorted((home.root / folder).rglob("*")):
            relative = path.relative_to(home.root)
            if path.is_file():
                result[relative.as_posix()] = _comparable(path)
    return result


def _comparable(path: Path) -> bytes:
    if path.name.endswith(TIMINGS):
        questions = pq.read_table(path).drop_columns(["milliseconds"])
        return json.dumps(questions.to_pydict()).encode()
    if path.name == "leaderboard.json":
        return _without_times(json.loads(path.read_text("utf-8")))
    return path.read_bytes()


def _without_times(leaderboard: dict[str, dict[str, dict[str, float]]]) -> bytes:
    assert {name for name in HEADLINE if name.endswith("_ms")} == TIMES
    for metrics in leaderboard["strategies"].values():
        assert metrics.keys() >= TIMES
        for name in TIMES:
            del metrics[name]
    return json.dumps(leaderboard).encode()


def results_file(home: Path, to: Path, environment: Mapping[str, str]) -> bytes:
    """What `querymust eval --save` writes of every strategy: it holds no time, so all of it is compared."""
    command = [sys.executable, "-m", "pipeline.cli", "eval", "--home", str(home), "--save", str(to)]
    done = subprocess.run(command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return to.read_bytes()
