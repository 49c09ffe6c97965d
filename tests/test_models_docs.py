"""What docs/how-to/models.md shows, as it is written there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import fields
from pathlib import Path

import yaml

from evals.sample import SAMPLE_LIBRARY
from retrieval.settings import PassagesSettings, Settings, TablesSettings
from tests.openai_server.table_model import reading_tables
from tests.test_docs import blocks, printed

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to" / "models.md").read_text("utf-8")


def test_the_commands_run_one_after_the_other_and_the_sample_costs_what_the_page_says(
    tmp_path, chat_server, monkeypatch, capsys
):
    chat_server.answering = reading_tables
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("QUERYMUST_HOME", raising=False)
    shutil.copytree(ROOT / "evals" / "sample" / "library", tmp_path / "evals" / "sample" / "library")
    monkeypatch.chdir(tmp_path)
    block, *_ = blocks("sh", PAGE)
    cost, transformed, chunks, embedded, result = (ran.out for ran in printed(block, monkeypatch, capsys))
    tables, sent, answered = next(line for line in PAGE.splitlines() if "the sample book" in line).split("|")[2:5]
    for number in (
        f"{tables.strip()} tables to send",
        f"about {sent.strip()} tokens",
        f"{answered.strip()} in answers",
    ):
        assert number in cost
    assert "gpt-4o-mini read 13 tables" in transformed
    assert "159 with a query_must" in chunks
    assert "it has 194 records" in embedded
    assert "Opponent Armor Class 6" in result
    rows = (tmp_path / "rows" / "03-combat" / "table_rows.jsonl").read_text("utf-8").splitlines()
    assert any("What the book says of this row." in json.loads(row)["content"] for row in rows)


def test_an_order_by_a_model_is_asked_for_and_without_one_the_page_says_what_is_said(sample, monkeypatch, capsys):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("QUERYMUST_HOME", str(sample.root))
    *_, block, _ = blocks("sh", PAGE)
    (told, *_) = blocks("text", PAGE)
    output = printed(block, monkeypatch, capsys)
    assert output[0].err.splitlines()[0].startswith(told.strip().rpartition("(")[0])
    assert output[0].out == output[1].out
    assert output[1].err.startswith("cross-encoder/ms-marco-MiniLM-L6-v2 ")


def test_names_and_questions_cost_what_the_page_says(sample, monkeypatch, capsys):
    monkeypatch.setenv("QUERYMUST_HOME", str(sample.root))
    *_, questions = blocks("sh", PAGE)
    numbers = next(line for line in PAGE.splitlines() if line.startswith("| the sample |")).split("|")[2:-1]
    names = f"querymust transform-tables {shlex.quote(str(SAMPLE_LIBRARY))} --names --dry-run"
    for line, what, cells in ((names, "tables", numbers[:5]), (questions, "places", numbers[5:])):
        (told,) = (ran.out for ran in printed(line, monkeypatch, capsys))
        count, sent, answered, likely, most = (cell.strip() for cell in cells)
        assert f"{count} {what} to send: about {sent} tokens, and {answered} in answers; about $" in told
        likely_usd, most_usd = map(float, re.findall(r"(?:about|at most) \$([\d.]+)", told))
        assert (likely, most) == (f"${likely_usd:.2f}", f"${most_usd:.2f}")


def test_passages_cost_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUERYMUST_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(ROOT)
    _, line, *_ = blocks("sh", PAGE)
    (told,) = (ran.out for ran in printed(line, monkeypatch, capsys))
    row = next(line for line in PAGE.splitlines() if line.startswith("| the packaged sample |"))
    count, sent, answered, likely, most = (cell.strip() for cell in row.split("|")[2:-1])
    assert f"{count} passages to send: about {sent} tokens, and {answered} in answers; about $" in told
    likely_usd, most_usd = map(float, re.findall(r"(?:about|at most) \$([\d.]+)", told))
    assert (likely, most) == (f"${likely_usd:.2f}", f"${most_usd:.2f}")


def test_the_settings_are_settings_and_the_defaults(tmp_path: Path) -> None:
    (block,) = blocks("yaml", PAGE)
    (tmp_path / "rag.yaml").write_text(block)
    assert set(yaml.safe_load(block)["tables"]) == {field.name for field in fields(TablesSettings)}
    assert set(yaml.safe_load(block)["passages"]) == {field.name for field in fields(PassagesSettings)}
    read = Settings.read(tmp_path, {})
    assert (read.tables, read.passages) == (TablesSettings(), PassagesSettings())
