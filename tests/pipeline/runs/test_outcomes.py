"""A disk that takes nothing more: one sentence, and readers keep what they had."""

import errno
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline import cli
from pipeline.runs.outcomes import Build, BuildProblem, full_disk_sentence
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import is_as_built


def test_what_all_books_fail_for_is_said_once() -> None:
    failed = [
        BuildProblem("embeddings", "no weights"),
        BuildProblem("chunks", "no text"),
        BuildProblem("embeddings", "no weights"),
    ]
    assert Build(problems=failed).sentences == ("embeddings: no weights", "chunks: no text")


ROOT = Path(__file__).parents[3]


def test_a_build_without_room_ends_with_one_sentence(tiny: Home) -> None:
    (tiny.library / "tiny" / "02.md").write_text("# Appendix\n\nA new word: zugzwang.\n")
    before = str(live_id(tiny.root))
    confined = ["-m", "tools.faults.confined", "limited:60000", tiny.root]
    done = subprocess.run(
        [sys.executable, *confined, "pipeline.cli", "build", "--home", tiny.root],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"error: the disk of {tiny.root} has no room left (")
    assert line.endswith("); make room, and run the same command again")
    assert "Traceback" not in done.stderr
    assert live_id(tiny.root) == before
    assert is_as_built(tiny.root, before)


def test_a_command_without_room_ends_with_one_sentence(monkeypatch, capsys):
    def fail(number: int) -> None:
        raise OSError(number, "No space left on device", "home/live")

    monkeypatch.setattr(cli, "app", lambda: fail(errno.ENOSPC))
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert "home/live cannot be written (No space left on device); make room" in capsys.readouterr().err
    monkeypatch.setattr(cli, "app", lambda: fail(errno.ENOTDIR))
    with pytest.raises(NotADirectoryError):
        cli.main()


def test_only_a_full_disk_is_told_as_one(tiny_built: Home) -> None:
    assert full_disk_sentence(tiny_built.root, "ZeroDivisionError: division by zero") is None
    home = replace(tiny_built, root=Path("home"))
    assert "disk of home has no room left" in str(full_disk_sentence(home.root, "chromadb: database or disk is full"))
