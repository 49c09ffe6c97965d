"""The closing words of `querymust quickstart`."""

import re
from pathlib import Path

import typer

from pipeline.cli import app
from pipeline.commands.options import DEFAULT_HOME
from pipeline.commands.quickstart import next_steps


def test_the_closing_words_name_commands_that_there_are_and_the_page(tmp_path: Path) -> None:
    told = next_steps(tmp_path)
    named = re.findall(r"querymust (\w+)", told)
    assert set(named) <= set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert f"querymust serve --home {tmp_path}    (then http://127.0.0.1:8377)" in told
    assert f"--home '{tmp_path / 'a b'}' " in next_steps(tmp_path / "a b")
    assert "--home" not in next_steps(DEFAULT_HOME.resolve())
