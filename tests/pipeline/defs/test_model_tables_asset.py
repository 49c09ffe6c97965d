"""A book whose tables a model reads, as a run of Dagster sees it."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from pipeline.definitions import load
from pipeline.runs.build import build
from pipeline.runs.in_process import Runner, dagster_instance
from retrieval.contract_settings import TablesSettings
from retrieval.home import Home
from retrieval.records import read_jsonl
from retrieval.types import Row
from tests.openai_server.faults import AtRandom, InTurn
from tests.openai_server.server import KEY, FakeOpenAi
from tests.openai_server.table_model import reading_tables


@pytest.fixture
def home(tiny: Home, chat_server: FakeOpenAi, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The small home with a model for its tables."""
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.answering = reading_tables
    tables = TablesSettings("model", timeout_seconds=5.0)
    return replace(tiny, settings=replace(tiny.settings, tables=tables))


def test_a_build_by_a_model_says_so_and_asks_again_for_what_it_could_not_ask(
    home: Home, chat_server: FakeOpenAi
) -> None:
    chat_server.retry_after, chat_server.plan = "0.001", InTurn(["broken"] * 5)
    first = build(home)
    rows = first.books["tiny"].numbers["table_rows"]
    assert (rows["n_by_model"], rows["n_left_to_rules"], rows["n_waiting"]) == (0, 1, 1)
    second = build(home)
    rows = second.books["tiny"].numbers["table_rows"]
    assert (rows["n_by_model"], rows["n_waiting"], rows["agreement"]) == (1, 0, 1.0)
    assert rows["n_model_tokens"] == chat_server.counts.prompt + chat_server.counts.completion
    made = read_jsonl(home.book("tiny") / "predicates.jsonl", Row)
    assert {json.loads(row.content)["description"] for row in made} == {"What the book says of this row."}
    assert first.problems == second.problems == []
    third = build(home)
    assert third.is_unchanged
    assert len(chat_server.asked) == 6


def test_the_key_is_in_no_log_no_error_no_metadata_and_no_event(
    home: Home,
    chat_server: FakeOpenAi,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    chat_server.retry_after = "0.001"
    faults = AtRandom(1, 1.0, ["busy", "broken", "cut", "malformed", "refusal"])
    with caplog.at_level(logging.DEBUG), dagster_instance(home) as instance:
        runner = Runner(load(), instance, home)
        chat_server.plan = faults
        assert runner.run("index_book", "tiny").problems == ()
        assert faults.happened
        for path in home.models.glob("*/*/*.json"):
            path.unlink()
        chat_server.plan = lambda _: "key"
        (problem,) = runner.run("index_book", "tiny").problems
    assert problem.where == "table_rows"
    assert "the key in OPENAI_API_KEY is refused" in problem.sentence
    assert "\n" not in problem.sentence
    said = [*caplog.messages, *capfd.readouterr(), problem.sentence]
    assert not [line for line in said if KEY in line]
    files = [path for path in home.root.rglob("*") if path.is_file()]
    assert any("event_log" in path.name or path.suffix == ".db" for path in files)
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
