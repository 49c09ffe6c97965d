"""A book whose passages a model describes, as a run of Dagster sees it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pipeline.runs.build import build
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.rag.chat_model import format_prompt
from retrieval.rag.passages import Passage
from retrieval.search.metadata_filter import Eq
from retrieval.search.retriever import Retriever
from retrieval.settings import PassagesSettings, TablesSettings
from retrieval.types import Chunk
from tests.openai_server.faults import InTurn
from tests.openai_server.passage_model import describing
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import reading_tables
from tests.pipeline.defs.refused_key import assert_refusal_is_told_without_the_key


def either(body: Mapping[str, Any]) -> str:
    """A model that reads tables and describes passages."""
    return describing(body) if "kinds" in json.loads(body["messages"][1]["content"]) else reading_tables(body)


@pytest.fixture
def home(tiny: Home, chat_server: FakeOpenAi, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The small home with a model for its passages."""
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.answering, chat_server.retry_after = either, "0.001"
    settings = replace(tiny.settings, passages=PassagesSettings("model"), tables=TablesSettings(timeout_seconds=5.0))
    return replace(tiny, settings=settings)


def live_chunks(home: Home) -> list[Chunk]:
    with open_snapshot(home.root) as snapshot:
        return list(snapshot.chunks)


@pytest.mark.slow
def test_a_build_by_a_model_says_so_and_asks_again_for_what_it_could_not_ask(home, tiny, chat_server):
    before = live_chunks(home)
    chat_server.plan = InTurn(["broken"] * 5)
    first = build(home).books["tiny"].numbers["chunks"]
    assert (first["n_by_model"], first["n_left_to_rules"], first["n_waiting"]) == (0, 1, 1)
    assert live_chunks(home) == before
    done = build(home)
    second = done.books["tiny"].numbers["chunks"]
    assert (second["n_by_model"], second["n_waiting"], second["kind_agreement"]) == (1, 0, 0.0)
    assert second["n_model_tokens"] == chat_server.counts.prompt + chat_server.counts.completion
    assert second["model_usd"] == pytest.approx(chat_server.counts.usd(0.15, 0.60), abs=0.00005)
    now = live_chunks(home)
    assert [replace(chunk, metadata={}) for chunk in now] == [replace(chunk, metadata={}) for chunk in before]
    assert [chunk.metadata.get("summary") for chunk in now if chunk.kind == "prose"] == [
        "Daggers are short and cheap. A"
    ]
    assert done.problems == []
    (hit,) = Retriever.open(home.root).retrieve("how long is a dagger?", where=Eq("content_kind", "rule")).hits
    assert "> Daggers are short and cheap. A\n> Content:" in format_prompt("q", [Passage(1, hit, "q")])
    third = build(home)
    assert third.is_unchanged
    again = third.books["tiny"].numbers["chunks"]
    assert (again["n_by_model"], again["n_model_tokens"], again["model_usd"]) == (1, 0, 0.0)
    build(tiny)
    assert live_chunks(home) == before, "what the rules say comes back without the model"
    assert len(chat_server.asked) == 6


@pytest.mark.slow
def test_tables_and_passages_share_a_model_and_its_budget(home: Home, chat_server: FakeOpenAi) -> None:
    both = replace(home.settings, tables=replace(home.settings.tables, transformer="model", budget_usd=0.0008))
    numbers = build(replace(home, settings=both)).books["tiny"].numbers
    assert (numbers["table_rows"]["n_waiting"], numbers["chunks"]["n_by_model"]) == (1, 1)
    assert chat_server.counts.usd(0.15, 0.60) < 0.0008
    more = replace(both, tables=replace(both.tables, budget_usd=1.0))
    numbers = build(replace(home, settings=more)).books["tiny"].numbers
    assert (numbers["table_rows"]["n_by_model"], numbers["chunks"]["n_model_tokens"]) == (1, 0)
    assert set(chat_server.counts.paid.values()) == {1}


def test_the_key_is_in_no_log_no_error_no_metadata_and_no_event(home, chat_server, caplog, capfd):
    assert_refusal_is_told_without_the_key(home, chat_server, "chunks", caplog, capfd)
