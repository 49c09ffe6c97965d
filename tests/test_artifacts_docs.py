import contextlib
import re
import shlex
import sys
from pathlib import Path

import typer.main

from pipeline import cli
from retrieval.artifacts.artifacts import TABLES
from retrieval.artifacts.mongo_store import URI
from retrieval.files.versions import EXTRAS
from tests.test_docs import blocks

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "artifacts.md").read_text("utf-8")


def test_the_examples_of_the_page_run_one_after_the_other(sample_copy, tmp_path, monkeypatch, capsys):
    (tmp_path / ".querymust").symlink_to(sample_copy.root)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(URI, raising=False)
    for line in blocks("sh", PAGE)[0].splitlines():
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with contextlib.suppress(SystemExit):
            cli.main()
    readouterr = capsys.readouterr()
    assert [line.partition(": ")[2].split(" of ")[0].split(",")[0] for line in readouterr.out.splitlines()] == [
        "1 book",
        "26 files",
        "1 book",
    ]
    # The last line needs a server, which the tests of the command have.
    assert f"set {URI}" in readouterr.err
    assert len(readouterr.err.splitlines()) == 1
    exec(compile(blocks("python", PAGE)[0], "artifacts.md", "exec"), {})
    entry, title, beside = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"lantern-and-blade-1 lantern-and-blade \d+ minilm", entry)
    assert "Attack Matrix for Clerics" in title
    assert re.fullmatch(r"\d+ nodes beside it; \d+ spells", beside)
    assert len(list((tmp_path / "Rules").rglob("*.enriched.json"))) == 13


def test_every_table_is_on_the_page_with_its_indexes() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^\n]*) \|$", PAGE.split("## Tables")[1].split("## ")[0], re.MULTILINE))
    assert list(rows) == [table.name for table in TABLES]
    for table in TABLES:
        for index in table.indexes:
            assert f"`{', '.join(field for field, _ in index.fields)}`" in rows[table.name]


def test_the_command_line_of_the_plan_has_flags_that_there_are() -> None:
    (line,) = re.findall(r"`(querymust build --library[^`]+)`", PAGE)
    build = typer.main.get_command(cli.app).commands["build"]
    known = {option for parameter in build.params for option in parameter.opts}
    assert {word for word in line.split() if word.startswith("--")} <= known
    listed = set(re.findall(r"^\| ((?:`--[\w-]+`(?:, )?)+) \|", PAGE, re.MULTILINE))
    assert {flag for flags in listed for flag in re.findall(r"--[\w-]+", flags)} == known & {
        word for word in line.split() if word != "--library"
    }


def test_the_extra_of_the_page_is_one() -> None:
    assert set(re.findall(r"querymust\[(\w+)\]", PAGE)) <= set(EXTRAS)
