"""Whole batches over a real socket: half the price, nothing paid twice, whatever is lost or killed on the way."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from retrieval.errors import ModelKeyError
from retrieval.models.access import Access
from retrieval.models.chat import Asked
from retrieval.models.chat_prices import chat_price
from retrieval.models.inquiries import Inquiries
from retrieval.models.inquiry import Inquiry, Reply, in_form
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.options import ModelOptions
from tests.openai_server.faults import InTurn
from tests.openai_server.server import FakeOpenAi

MODEL = "gpt-4o-mini"
COUNT = 6


class Said(BaseModel):
    said: str


@dataclass(frozen=True)
class Done:
    replies: list[Reply]
    asking: Inquiries

    @property
    def n_usable(self) -> int:
        return sum(is_usable(each) for each in self.replies)

    @property
    def reasons(self) -> dict[str, int]:
        return dict(Counter(each.reason for each in self.replies if each.reason))


Ask = Callable[..., Done]


def is_usable(reply: Reply) -> bool:
    return reply.answered is not None and reply.answered.in_form(Said) is not None


def saying(body: Mapping[str, Any]) -> str:
    return json.dumps({"said": body["messages"][-1]["content"]})


@pytest.fixture
def ask(chat_server: FakeOpenAi, tmp_path: Path) -> Ask:
    """Ask all six things, as the runs of one home do."""
    chat_server.answering = saying
    texts = [f"thing {number}" for number in range(COUNT)]
    inquiries = [
        Inquiry(sha256(text.encode()).hexdigest(), Asked(MODEL, (("user", text),), 50, form=Said)) for text in texts
    ]

    def asked(**options: Any) -> Done:
        known: dict[str, Any] = {"price": chat_price(MODEL), "retries": 1, "timeout": 5.0, "batch": True, "pause": 0.01}
        access = Access.of_environment(chat_server.environment)
        asking = Inquiries(access, tmp_path, ModelOptions(MODEL, **known | options), "v1")
        return Done(asking.ask(inquiries, in_form(Said)), asking)

    return asked


def pending(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "batches").glob("*.json"))


def test_a_batch_is_one_request_at_half_the_price(chat_server: FakeOpenAi, ask: Ask, tmp_path: Path) -> None:
    done = ask()
    assert [each.n_paid for each in done.replies] == [1] * COUNT
    assert [each.answered and json.loads(each.answered.content)["said"] for each in done.replies] == [
        f"thing {number}" for number in range(COUNT)
    ]
    assert chat_server.counts.requests["/v1/batches"] == 1
    assert chat_server.counts.requests["/v1/chat/completions"] == 0
    assert done.asking.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60)) == done.asking.usd_in_all
    assert done.asking.used.total == chat_server.counts.batch_prompt + chat_server.counts.batch_completion
    assert chat_server.counts.prompt == 0
    assert pending(tmp_path) == []
    assert [each.n_paid for each in ask().replies] == [0] * COUNT
    assert set(chat_server.counts.paid.values()) == {1}


def test_what_a_batch_lost_or_spoiled_is_told_and_asked_again(chat_server: FakeOpenAi, ask: Ask) -> None:
    chat_server.plan = InTurn([None, "dropped_result", "malformed", "broken", "refusal", None])
    first = ask()
    assert (first.n_usable, first.reasons) == (2, {"not reached": 2})
    assert {each.why for each in first.replies if each.reason} == {"no answer came about it"}
    assert chat_server.counts.usd(0.15, 0.60) < first.asking.usd_in_all  # what was lost may have cost something
    second = ask()
    assert (second.n_usable, sum(each.n_paid for each in second.replies)) == (COUNT, 4)


def test_two_of_three_results_are_kept(chat_server: FakeOpenAi, ask: Ask) -> None:
    chat_server.batches.keeps = 4
    assert ask().n_usable == 4
    assert ask().n_usable == COUNT
    assert set(chat_server.counts.paid.values()) == {1}


def test_a_run_that_was_killed_while_it_waited_pays_nothing_twice(
    chat_server: FakeOpenAi, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(seconds: float) -> None:
        if seconds:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("retrieval.models.batching.time.sleep", killed)
        with pytest.raises(Killed):
            ask()
    assert len(pending(tmp_path)) == 1
    chat_server.batches.looks = 3
    still = ask(batch=False)
    assert {(each.reason, each.why) for each in still.replies} == {("not reached", "it is in a batch that is at work")}
    assert ask().n_usable == COUNT
    assert set(chat_server.counts.paid.values()) == {1}
    assert pending(tmp_path) == []


def test_a_run_that_was_killed_before_it_knew_the_batch_finds_it(
    chat_server: FakeOpenAi, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
        for path in tmp_path.glob("gpt*/*/*.json"):
            path.unlink()
        chat_server.counts.paid.clear()
        with monkeypatch.context() as patch:
            patch.setattr(OpenAiClient, "begin_batch", answer)
            with pytest.raises(Killed):
                ask()
        assert len(pending(tmp_path)) == 1
        assert ask().n_usable == COUNT
        assert set(chat_server.counts.paid.values()) == {1}
        assert pending(tmp_path) == []


def test_a_batch_that_is_refused_costs_nothing(chat_server: FakeOpenAi, ask: Ask, tmp_path: Path) -> None:
    chat_server.batches.ends = "failed"
    done = ask()
    assert (done.reasons, done.asking.usd_in_all) == ({"not reached": COUNT}, 0.0)
    chat_server.status = 500
    assert ask(retries=0).reasons == {"not reached": COUNT}
    assert len(pending(tmp_path)) == 1
    chat_server.status = 401
    with pytest.raises(ModelKeyError):
        ask()
    chat_server.status, chat_server.batches.ends = 200, "completed"
    assert ask().n_usable == COUNT
    assert pending(tmp_path) == []


def test_a_budget_cuts_a_batch_short(chat_server: FakeOpenAi, ask: Ask) -> None:
    budget = 0.0001
    done = ask(budget_usd=budget)
    assert 0 < done.n_usable < COUNT
    assert done.reasons == {"budget": COUNT - done.n_usable}
    assert chat_server.counts.usd(0.15, 0.60) <= done.asking.usd_in_all <= budget
