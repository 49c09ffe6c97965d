from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import ModelKeyError
from retrieval.ingest.model_tables.outcome import Transformed, reasons
from retrieval.ingest.model_tables.transforming import ModelTables
from retrieval.ingest.model_tables.whole_rows import WholeRows
from retrieval.ingest.tables.table import Table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from tests.openai_server.faults import Fault, InTurn
from tests.openai_server.server import KEY, FakeOpenAi
from tests.openai_server.table_model import reading_tables
from tests.retrieval.ingest.model_tables.conftest import BOOK, tables_of, weapons

Models = Callable[..., ModelTables]


@pytest.fixture(autouse=True)
def answering(chat_server: FakeOpenAi) -> None:
    chat_server.answering = reading_tables


def transformed(models: ModelTables, tables: Sequence[Table]) -> Transformed:
    done = models.transform(tables, Vocabulary.default(), [BOOK], {table.id for table in tables})
    assert [(row.table_id, row.ordinal) for row in done.rows] == [(row.table_id, row.ordinal) for row in done.offline]
    kept = {row for row in done.rows if row.table_id not in done.by_model}
    assert kept == {row for row in done.offline if row.table_id not in done.by_model}
    return done


def test_an_answer_is_paid_once_in_all_runs(chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]) -> None:
    first, second = (transformed(models(), tables) for _ in range(2))
    assert first.rows == second.rows
    assert [outcome.n_answers for outcome in (*first.outcomes, *second.outcomes)] == [1, 1, 0, 0]
    assert (len(chat_server.asked), second.bill.used.total, second.bill.usd) == (2, 0, 0.0)
    assert first.bill.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60)) == second.bill.usd_in_all


def test_a_table_that_the_book_has_twice_is_paid_once(chat_server: FakeOpenAi, models: Models) -> None:
    table = "## Ranks\n\n| Rank | Pay |\n|---|---|\n| sergeant | 5 |\n| captain | 9 |\n\n"
    done = transformed(models(), tables_of(f"# Army\n\n{table}\n{table}"))
    assert len(done.by_model) == len(done.outcomes) == 2
    assert len(chat_server.asked) == 1


def test_another_prompt_is_asked_anew(chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]) -> None:
    transformed(models(), tables)
    changed = replace(models(), question=WholeRows("v2-00000000"))
    assert transformed(changed, tables).bill.prompt == "v2-00000000"
    assert len(chat_server.asked) == 4


def test_a_batch_leaves_what_it_spoiled_or_lost_to_the_rules_and_the_next_run_asks_again(
    chat_server: FakeOpenAi, models: Models
) -> None:
    chat_server.plan = InTurn([None, "dropped_result", "changed_value", "broken", "refusal", None])
    first = transformed(models(batch=True, pause=0.01), weapons(6))
    assert len(first.by_model) == 2
    assert reasons(first.outcomes) == {"not reached": 2, "refused or wrong": 2}
    assert first.n_waiting == 2
    second = transformed(models(batch=True, pause=0.01), weapons(6))
    assert len(second.by_model) == 6
    assert sum(outcome.n_answers for outcome in second.outcomes) == 4
    assert chat_server.counts.requests["/v1/chat/completions"] == 0


@pytest.mark.parametrize("fault", ["dropped_row", "changed_value", "malformed", "truncated", "refusal"])
def test_a_bad_answer_is_asked_for_again_and_then_left_to_the_rules(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...], fault: Fault
) -> None:
    chat_server.plan = InTurn([fault])
    assert len(transformed(models(), tables[:1]).by_model) == 1
    assert len(chat_server.asked) == 2
    chat_server.plan = InTurn([fault, fault])
    done = transformed(models(), tables[1:])
    assert reasons(done.outcomes) == {"refused or wrong": 1}
    assert (done.outcomes[0].n_answers, done.n_waiting) == (2, 0)
    again = transformed(models(), tables[1:])
    assert again.outcomes[0].said == done.outcomes[0].said
    assert len(chat_server.asked) == 4


@pytest.mark.parametrize("fault", ["busy", "broken", "cut"])
def test_a_server_that_fails_once_is_asked_again(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...], fault: Fault
) -> None:
    chat_server.plan = InTurn([fault])
    assert len(transformed(models(), tables).by_model) == 2


def test_a_server_that_is_gone_leaves_all_to_the_rules_and_a_later_run_asks(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]
) -> None:
    many = weapons(12)
    chat_server.plan = lambda _: "broken"
    done = transformed(models(retries=0), many)
    assert reasons(done.outcomes) == {"not reached": 12}
    assert (done.n_waiting, done.bill.usd) == (12, 0.0)
    assert len(chat_server.asked) < 12 + 8
    chat_server.plan = InTurn([])
    assert len(transformed(models(), many).by_model) == 12


def test_a_server_that_is_gone_is_not_asked_about_every_table(chat_server: FakeOpenAi, models: Models) -> None:
    chat_server.plan = lambda _: "broken"
    done = transformed(models(retries=0), weapons(60))
    assert done.n_waiting == 60
    assert len(chat_server.asked) < 30


def test_a_wrong_key_is_one_clear_line_and_keeps_what_was_paid(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]
) -> None:
    transformed(models(), tables[:1])
    chat_server.plan = lambda _: "key"
    began = time.monotonic()
    with pytest.raises(ModelKeyError, match="the key in OPENAI_API_KEY is refused") as raised:
        transformed(models(), tables)
    assert KEY not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert time.monotonic() - began < 2
    assert transformed(models(), tables[:1]).by_model == {tables[0].id}


def test_without_a_key_the_rules_make_what_was_not_paid_before(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]
) -> None:
    transformed(models(), tables[:1])
    done = transformed(models(key=""), tables)
    assert done.by_model == {tables[0].id}
    assert [outcome.said for outcome in done.outcomes] == ["", "there is no OPENAI_API_KEY"]
    assert len(chat_server.asked) == 1


def test_a_budget_stops_before_it_is_passed_and_a_larger_one_goes_on(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...], tmp_path: Path
) -> None:
    many = weapons(20)
    done = transformed(models(budget_usd=0.008), many)
    assert 0 < len(done.by_model) < 20
    assert set(reasons(done.outcomes)) == {"budget"}
    assert chat_server.counts.usd(0.15, 0.60) == pytest.approx(done.bill.usd_in_all)
    assert done.bill.usd_in_all <= 0.008
    paid = len(chat_server.asked)
    assert transformed(models(budget_usd=0.008), many).by_model == done.by_model
    assert len(chat_server.asked) == paid
    assert len(transformed(models(budget_usd=1.0), many).by_model) == 20
    assert len(chat_server.asked) == 20
    assert KEY not in "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_a_server_that_hangs_is_left_in_time_and_counts_as_paid(
    chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]
) -> None:
    chat_server.plan = lambda _: "hang"
    began = time.monotonic()
    done = transformed(models(timeout=0.2, retries=0), tables)
    assert time.monotonic() - began < 3
    assert reasons(done.outcomes) == {"not reached": 2}
    assert (done.bill.usd or 0) >= chat_server.counts.usd(0.15, 0.60) > 0
