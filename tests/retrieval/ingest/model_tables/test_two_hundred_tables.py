"""A book of 200 tables and a server that goes wrong in every way that there is."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import ModelKeyError
from retrieval.ingest.model_tables.transforming import ModelTables, Transformed, reasons
from retrieval.ingest.tables.row_object import RESERVED
from retrieval.ingest.tables.rows import check_fidelity
from retrieval.ingest.tables.table import Table
from retrieval.language.numbers.cells import typed
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.spending import ModelOptions, chat_price
from tests.openai_server.faults import FAULTS, AtRandom, Fault
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import reading_tables
from tests.retrieval.ingest.model_tables.conftest import MODEL, tables_of

COUNT = 200
HARMFUL = [fault for fault in FAULTS if fault not in ("key", "stall", "dropped_result")]
"""One by one: a key that is refused stops a run, and batches alone drop results."""
IN_BATCH = [fault for fault in FAULTS if fault not in ("key", "hang", "stall")]


def book(seed: int = 0) -> str:
    """Lists of things, matrices by a number, and tables with blanks."""
    draw = random.Random(seed)
    sections = []
    for number in range(COUNT):
        heads = ["Armor Class" if number % 3 == 0 else f"Item {number}", "Damage", "Cost", "Weight in lb."]
        heads = heads[: draw.randint(2, 4)]
        lines = [f"## Table of {number}\n", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
        for row in range(draw.randint(2, 5)):
            key = str(9 - row) if number % 3 == 0 else f"thing {number} {'abcdefgh'[row]}{draw.randint(10, 99)}"
            cells = [draw.choice(["", "1d6", str(draw.randint(0, 9999)), "two words"]) for _ in heads[1:]]
            lines.append(f"| {' | '.join([key, *cells])} |")
        sections.append("\n".join(lines))
    return "# Lists\n\n" + "\n\n".join(sections)


@pytest.fixture(scope="module")
def tables() -> tuple[Table, ...]:
    tables = tables_of(book())
    assert len(tables) == COUNT
    return tables


def transformed(server: FakeOpenAi, tables: tuple[Table, ...], folder: Path, **options: Any) -> Transformed:
    access = Access.of_environment(server.environment | {"QUERYMUST_MODEL_CONCURRENCY": "24"})
    known: dict[str, Any] = {"price": chat_price(MODEL), "timeout": 1.5, "retries": 3}
    models = ModelTables(access, folder, ModelOptions(MODEL, **known | options))
    return models.transform(tables, Vocabulary.default(), (), {table.id for table in tables})


def values(content: Mapping[str, object]) -> list[str]:
    """Every value of a row's JSON that is a cell."""
    return sorted(repr(value) for name, value in content.items() if name not in RESERVED)


def test_no_row_is_lost_no_wrong_value_is_taken_and_no_budget_is_passed(chat_server, tables, tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.models.access._FIRST_PAUSE", 0.02)
    plan = AtRandom(20, 0.4, HARMFUL)
    chat_server.answering, chat_server.plan = reading_tables, plan
    budget = 0.16
    runs = [transformed(chat_server, tables, tmp_path, budget_usd=budget), None]
    assert runs[0] is not None
    assert 20 < len(runs[0].by_model) < 190
    assert reasons(runs[0].outcomes)["budget"] > 0
    assert chat_server.counts.usd(0.15, 0.60) <= runs[0].bill.usd_in_all <= budget

    runs[1] = transformed(chat_server, tables, tmp_path, budget_usd=10.0)
    assert set(plan.happened) == set(HARMFUL)
    assert set(reasons(runs[1].outcomes)) <= {"refused or wrong", "not reached"}
    assert len(runs[1].by_model) > 150
    assert chat_server.counts.usd(0.15, 0.60) <= runs[1].bill.usd_in_all
    for done in runs:
        assert done.dropped == ()
        assert_all_there(tables, done)


def assert_all_there(tables: tuple[Table, ...], done: Transformed) -> None:
    """No row is lost, and every value is the book's."""
    assert check_fidelity(tables, done.rows) == ()
    assert len(done.rows) == len(done.offline) == sum(len(table.rows) for table in tables)
    for row, offline in zip(done.rows, done.offline, strict=True):
        assert (row.table_id, row.ordinal, row.cells) == (offline.table_id, offline.ordinal, offline.cells)
        assert values(json.loads(row.content)) == sorted(repr(typed(cell)) for cell in row.cells if cell)


@pytest.mark.slow
def test_nothing_is_lost_or_wrong_either_where_tables_go_in_batches(chat_server, tables, tmp_path):
    plan = AtRandom(7, 0.4, IN_BATCH)
    chat_server.answering, chat_server.plan = reading_tables, plan
    first = transformed(chat_server, tables, tmp_path, budget_usd=0.1, batch=True, pause=0.01)
    assert reasons(first.outcomes)["budget"] > 0
    assert chat_server.counts.usd(0.15, 0.60) <= first.bill.usd_in_all <= 0.1
    assert_all_there(tables, first)
    last = first
    for _ in range(4):  # what a batch lost is asked about by the next
        last = transformed(chat_server, tables, tmp_path, budget_usd=10.0, batch=True, pause=0.01)
        assert_all_there(tables, last)
    assert set(plan.happened) == set(IN_BATCH)
    assert len(last.by_model) > 150
    assert chat_server.counts.usd(0.15, 0.60) <= last.bill.usd_in_all <= 10.0
    assert (chat_server.counts.prompt, chat_server.counts.requests["/v1/chat/completions"]) == (0, 0)


@pytest.mark.slow
def test_a_key_that_is_refused_now_and_then_stops_runs_and_costs_no_answer(chat_server, tables, tmp_path):
    plan = AtRandom(3, 0.02, ["key"])
    chat_server.answering, chat_server.plan = reading_tables, plan
    done = None
    while done is None:
        try:
            done = transformed(chat_server, tables, tmp_path)
        except ModelKeyError:
            continue
    assert len(plan.happened) > 1
    assert len(done.by_model) == COUNT
    assert set(chat_server.counts.paid.values()) == {1}
    assert done.bill.usd_in_all == pytest.approx(chat_server.counts.usd(0.15, 0.60))
    assert_all_there(tables, done)


PROGRAM = """
import sys
from pathlib import Path
from tests.openai_server.server import FakeOpenAi
from tests.retrieval.ingest.model_tables.test_two_hundred_tables import book, tables_of, transformed

class Far:
    environment = {"OPENAI_API_KEY": "sk-a-secret", "OPENAI_BASE_URL": sys.argv[1]}

transformed(Far(), tables_of(book()), Path(sys.argv[2]), timeout=60.0)
"""
ANSWERED = 60


@pytest.mark.slow
def test_a_killed_run_goes_on_without_paying_twice(chat_server, tables, tmp_path):
    answered = 0

    def some(_: Mapping[str, Any]) -> Fault | None:
        nonlocal answered
        answered += 1
        return None if answered <= ANSWERED else "stall"

    chat_server.answering, chat_server.plan = reading_tables, some
    root = str(Path(__file__).parents[4])
    environment = os.environ | {"PYTHONPATH": root}
    program = [sys.executable, "-c", PROGRAM, chat_server.address, str(tmp_path)]
    with subprocess.Popen(program, cwd=root, env=environment) as run:
        until = time.monotonic() + 60
        while len(list(tmp_path.rglob("*.json"))) < ANSWERED or chat_server.counts.working < 24:
            assert run.poll() is None, "the run is over"
            assert time.monotonic() < until, "the run does not get on"
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    chat_server.plan = lambda _: None
    assert len(chat_server.counts.paid) == ANSWERED
    done = transformed(chat_server, tables, tmp_path)
    assert len(done.by_model) == COUNT
    assert len(chat_server.counts.paid) == COUNT
    assert set(chat_server.counts.paid.values()) == {1}
    assert done.bill.usd_in_all >= chat_server.counts.usd(0.15, 0.60)
