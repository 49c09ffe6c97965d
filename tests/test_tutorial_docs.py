"""The tutorial, step by step: its files are written and its commands print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_docs import blocks, consoles, printed_by, prints

PAGE = (Path(__file__).parents[1] / "docs" / "tutorial" / "first_library.md").read_text("utf-8")


@pytest.mark.usefixtures("builds_here")
def test_the_tutorial_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    (book,), (questions,) = blocks("markdown", PAGE), blocks("jsonl", PAGE)
    names = re.findall(r"[Ss]ave [^`]*as `([\w./]+)`", PAGE)
    assert [Path(name).suffix for name in names] == [".md", ".jsonl"]
    for name, text in zip(names, (book, questions), strict=True):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    steps = consoles(PAGE)
    assert len(steps) == 7
    for command, shown in steps:
        assert prints(shown, printed_by(command, monkeypatch, capsys)), command
