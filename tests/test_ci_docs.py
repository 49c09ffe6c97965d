"""What docs/how-to/ci.md tells a user's CI to run, run by a shell in a small repository of a user."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from evals.metric_table import Use, names, sign
from pipeline.cli import app
from retrieval.home import Home
from tests.test_docs import blocks

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to" / "ci.md").read_text("utf-8")
GOLD = {"snippet": "| Mace | 1d6 | 8 gp |"}


@pytest.fixture
def repository(tiny: Home, tmp_path: Path) -> Path:
    """A user's repository: books, questions, and a home that an earlier run left."""
    root = tmp_path / "repository"
    root.mkdir()
    tiny.library.rename(root / "books")
    tiny.root.rename(root / ".querymust")
    ask(root, "What does a mace cost?")
    (root / "bin").mkdir()
    command = root / "bin" / "querymust"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pipeline.cli "$@"\n')
    command.chmod(0o755)
    return root


def ask(root: Path, query: str) -> None:
    question = {"id": "mace", "query": query, "book": "tiny", "gold": [GOLD]}
    (root / "questions.jsonl").write_text(json.dumps(question) + "\n")


def run(script: str, root: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    result = {name: value for name, value in os.environ.items() if not name.startswith("QUERYMUST_")}
    result |= {"PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(["sh", "-c", script], cwd=root, env=result, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_commands_of_the_page_save_compare_and_stop_where_a_score_is_too_low(repository: Path) -> None:
    script = blocks("bash", PAGE)[0]
    first = run(script, repository)
    assert first.returncode == 0, first.stderr
    assert sorted(path.name for path in repository.glob("scores.*")) == ["scores.json", "scores.md", "scores.xml"]

    build, judge = blocks("sh", PAGE)[0].replace("\\\n", "").splitlines()
    assert build in script.splitlines(), "it ran above"
    again = run(judge, repository)
    assert again.returncode == 0, again.stderr
    assert "against" in again.stdout
    assert "0 gained, 0 lost, 0 moved" in again.stdout
    assert (repository / "scores.md").read_text("utf-8").startswith("### querymust: `default` passed")
    assert (repository / "this.json").read_bytes() == (repository / "scores.json").read_bytes()

    ask(repository, "What is short and cheap, and drawn in a moment?")
    steps = [
        step["run"].strip()
        for step in yaml.safe_load(blocks("yaml", PAGE)[0])["jobs"]["scores"]["steps"]
        if "run" in step
    ]
    assert steps[1] == build
    summary = repository / "summary.md"
    failed = run(steps[2].replace("--baseline scores.json", ""), repository, GITHUB_STEP_SUMMARY=str(summary))
    assert failed.returncode == 1, failed.stderr
    assert "error: default: mrr is 0." in failed.stderr
    assert "1 of 1 questions with gold fail hit@1" in failed.stdout
    assert summary.read_text("utf-8").startswith("### querymust: `default` failed")


def test_every_command_of_the_page_has_its_options() -> None:
    known = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
    }
    text = PAGE.replace("\\\n", "")
    for line in re.findall(r"^ *(?:- run: )?querymust (.*)$", text, re.MULTILINE):
        command, *words = shlex.split(line)
        assert {word for word in words if word.startswith("--")} <= known[command]
    table: dict[str, Any] = dict(re.findall(r"^\| `(--[\w-]+)[^`]*` \| (.*) \|$", text, re.MULTILINE))
    assert set(table) == {"--fail-under", "--baseline", "--save", "--junit", "--summary"} <= known["eval"]
    less = re.findall(r"`([\w@]+)`", table["--fail-under"].split("lower is better")[1].split(")")[0])
    assert less
    assert all(sign(name) < 0 and name in names(Use.HEADLINE) for name in less)
