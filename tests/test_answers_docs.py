"""What docs/how-to/answers.md shows, as it is written there."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from retrieval.settings import AnswerSettings, Settings
from tests.test_docs import blocks, printed

if TYPE_CHECKING:
    from retrieval.home import Home

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "answers.md").read_text("utf-8")


def test_the_commands_run(sample: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("QUERYMUST_HOME", str(sample.root))
    (block,) = blocks("sh", PAGE)
    assert any("Level 7-9: 10" in ran.out for ran in printed(block, monkeypatch, capsys))


def test_the_python_runs(sample, tmp_path, monkeypatch, capsys):
    (tmp_path / ".querymust").symlink_to(sample.root)
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("python", PAGE)
    exec(compile(block, "answers.md", "exec"), {})
    assert "complete" in capsys.readouterr().out


def test_the_settings_are_settings_and_the_defaults(tmp_path: Path) -> None:
    (block,) = blocks("yaml", PAGE)
    (tmp_path / "rag.yaml").write_text(block)
    assert set(yaml.safe_load(block)["answer"]) == {field.name for field in fields(AnswerSettings)}
    assert Settings.read(tmp_path, {}).answer == AnswerSettings()
