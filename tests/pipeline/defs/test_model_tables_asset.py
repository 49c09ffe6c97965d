"""A book whose tables a model reads, as a run of Dagster sees it."""

import json
import logging
from dataclasses import replace

import pytest

from pipeline.definitions import load
from pipeline.runs.build import build
from pipeline.runs.in_process import Runner, dagster_instance
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.search.retriever import Retriever
from retrieval.settings import TablesSettings
from retrieval.types import Row
from tests.openai_server.faults import InTurn
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import reading_tables
from tests.pipeline.defs.refused_key import assert_key_is_nowhere, assert_refusal_is_told_without_the_key


@pytest.fixture
def home(tiny: Home, chat_server: FakeOpenAi, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The small home with a model for its tables."""
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.answering = reading_tables
    tables = TablesSettings("model", timeout_seconds=5.0)
    return replace(tiny, settings=replace(tiny.settings, tables=tables))


def test_a_build_by_a_model_says_so_and_asks_again_for_what_it_could_not_ask(home, chat_server):
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


def test_a_build_with_names_by_a_model_finds_a_row_by_what_people_call_it(home: Home, chat_server: FakeOpenAi) -> None:
    rows = [{"row": 1, "names": ["broadsword"]}]
    chat_server.answering = lambda _: json.dumps({"rows": rows})
    by_names = replace(home, settings=replace(home.settings, tables=TablesSettings("names", timeout_seconds=5.0)))
    numbers = build(by_names).books["tiny"].numbers["table_rows"]
    assert (numbers["n_by_model"], numbers["n_waiting"]) == (1, 0)
    assert str(numbers["transformer"]).startswith("gpt-4o-mini, prompt names-v1-")
    assert numbers["n_model_tokens"] == chat_server.counts.prompt + chat_server.counts.completion
    keys = [hit.chunk.row_key for hit in Retriever.open(home.root).retrieve("What does a broadsword cost?").hits]
    assert keys[0] == "Long sword"
    assert not {"Dagger", "Mace"} & set(keys)
    assert build(by_names).is_unchanged


def test_the_key_of_an_embedder_is_in_no_log_no_error_no_metadata_and_no_event(home, chat_server, caplog, capfd):
    chat_server.retry_after = "0.001"
    settings = replace(home.settings, embedder="openai", tables=TablesSettings("names", timeout_seconds=5.0))
    chat_server.answering = lambda _: json.dumps({"rows": []})
    hosted = replace(home, settings=settings)
    with caplog.at_level(logging.DEBUG), dagster_instance(hosted) as instance:
        chat_server.plan = lambda body: "key" if "input" in body else None
        (refused,) = Runner(load(), instance, hosted).run("index_book", "tiny").problems
        # It answers who is there, and refuses from then on.
        chat_server.plan = InTurn([None, None, *["key"] * 9])
        (later,) = Runner(load(), instance, hosted).run("index_book", "tiny").problems
        chat_server.plan = InTurn(["busy", "broken", "cut"])
        assert Runner(load(), instance, hosted).run("index_book", "tiny").problems == ()
    assert (refused.where, later.where) == ("books", "embeddings")
    for problem in (refused, later):
        assert "the key in OPENAI_API_KEY was rejected" in problem.sentence
        assert "\n" not in problem.sentence
    output = [*caplog.messages, *capfd.readouterr(), refused.sentence, later.sentence]
    assert_key_is_nowhere(home, output)


def test_the_key_is_in_no_log_no_error_no_metadata_and_no_event(home, chat_server, caplog, capfd):
    assert_refusal_is_told_without_the_key(home, chat_server, "table_rows", caplog, capfd)
