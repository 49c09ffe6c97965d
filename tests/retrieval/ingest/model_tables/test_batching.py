from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from retrieval.errors import ModelKeyError
from retrieval.ingest.model_tables.outcome import Transformed, reasons
from retrieval.ingest.model_tables.transforming import ModelTables
from retrieval.models.openai_client import OpenAiClient
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from tests.openai_server.faults import InTurn
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import reading_tables

from .conftest import weapons

TABLES = weapons(6)
Models = Callable[..., ModelTables]


@pytest.fixture(autouse=True)
def answering(chat_server: FakeOpenAi) -> None:
    chat_server.answering = reading_tables


def transformed(models: Models, **options: object) -> Transformed:
    known = {"batch": True, "pause": 0.01}
    done = models(**known | options).transform(TABLES, Vocabulary.default(), (), {table.id for table in TABLES})
    assert len(done.rows) == len(done.offline) == 12
    return done


def pending(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "models" / "batches").glob("*.json"))


def test_a_batch_is_one_request_at_half_the_price(chat_server: FakeOpenAi, models: Models, tmp_path: Path) -> None:
    done = transformed(models)
    assert len(done.by_model) == 6
    assert chat_server.counts.requests["/v1/batches"] == 1
    assert chat_server.counts.requests["/v1/chat/completions"] == 0
    assert done.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60)) == done.usd_in_all
    assert chat_server.counts.prompt == 0
    assert pending(tmp_path) == []
    assert transformed(models).by_model == done.by_model
    assert set(chat_server.counts.paid.values()) == {1}


def test_what_a_batch_lost_or_spoiled_is_left_to_the_rules_and_asked_again(
    chat_server: FakeOpenAi, models: Models
) -> None:
    chat_server.plan = InTurn([None, "dropped_result", "changed_value", "broken", "refusal", None])
    first = transformed(models)
    assert len(first.by_model) == 2
    assert reasons(first.outcomes) == {"not reached": 2, "refused or wrong": 2}
    assert [outcome.said for outcome in first.outcomes if outcome.reason == "not reached"] == [
        "no answer came about it"
    ] * 2
    assert chat_server.counts.usd(0.15, 0.60) < first.usd_in_all  # what was lost may have cost something
    second = transformed(models)
    assert len(second.by_model) == 6
    assert sum(outcome.n_answers for outcome in second.outcomes) == 4


def test_two_of_three_results_are_kept(chat_server: FakeOpenAi, models: Models) -> None:
    chat_server.batches.keeps = 4
    assert len(transformed(models).by_model) == 4
    assert len(transformed(models).by_model) == 6
    assert set(chat_server.counts.paid.values()) == {1}


def test_a_run_that_was_killed_while_it_waited_pays_nothing_twice(
    chat_server: FakeOpenAi, models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(seconds: float) -> None:
        if seconds:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("retrieval.ingest.model_tables.batching.time.sleep", killed)
        with pytest.raises(Killed):
            transformed(models)
    assert len(pending(tmp_path)) == 1
    chat_server.batches.looks = 3
    still = transformed(models, batch=False)
    assert reasons(still.outcomes) == {"not reached": 6}
    assert still.outcomes[0].said == "it is in a batch that is at work"
    assert len(transformed(models).by_model) == 6
    assert set(chat_server.counts.paid.values()) == {1}
    assert pending(tmp_path) == []


def test_a_run_that_was_killed_before_it_knew_the_batch_finds_it(
    chat_server: FakeOpenAi, models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    begin = OpenAiClient.begin_batch

    def begun_and_killed(*arguments: object) -> str:
        begin(*arguments)  # type: ignore[arg-type]
        raise Killed

    def killed(*_: object) -> str:
        raise Killed

    for answer in (begun_and_killed, killed):
        for path in tmp_path.glob("models/gpt*/*/*.json"):
            path.unlink()
        chat_server.counts.paid.clear()
        with monkeypatch.context() as patch:
            patch.setattr(OpenAiClient, "begin_batch", answer)
            with pytest.raises(Killed):
                transformed(models)
        assert len(pending(tmp_path)) == 1
        assert len(transformed(models).by_model) == 6
        assert set(chat_server.counts.paid.values()) == {1}
        assert pending(tmp_path) == []


def test_a_batch_that_is_refused_costs_nothing(chat_server: FakeOpenAi, models: Models, tmp_path: Path) -> None:
    chat_server.batches.ends = "failed"
    done = transformed(models)
    assert (reasons(done.outcomes), done.usd_in_all) == ({"not reached": 6}, 0.0)
    chat_server.status = 500
    assert reasons(transformed(models, retries=0).outcomes) == {"not reached": 6}
    assert len(pending(tmp_path)) == 1
    chat_server.status = 401
    with pytest.raises(ModelKeyError):
        transformed(models)
    chat_server.status, chat_server.batches.ends = 200, "completed"
    assert len(transformed(models).by_model) == 6
    assert pending(tmp_path) == []


def test_a_budget_cuts_a_batch_short(chat_server: FakeOpenAi, models: Models) -> None:
    done = transformed(models, budget_usd=0.0015)
    assert 0 < len(done.by_model) < 6
    assert set(reasons(done.outcomes)) == {"budget"}
    assert chat_server.counts.usd(0.15, 0.60) <= done.usd_in_all <= 0.0015
