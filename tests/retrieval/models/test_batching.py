"""Whole batches over a real socket: half the price, nothing paid twice, whatever is lost or killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
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
from retrieval.models.batching import Inquiry, Reply, in_form
from retrieval.models.chat import ChatRequest
from retrieval.models.inquiries import Inquiries
from retrieval.models.spending import ModelOptions, chat_price
from tests.openai_server.faults import InTurn
from tests.openai_server.server import KEY, FakeOpenAi

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
        return sum(is_usable(reply) for reply in self.replies)

    @property
    def reasons(self) -> dict[str, int]:
        return dict(Counter(reply.reason for reply in self.replies if reply.reason))


Ask = Callable[..., Done]


def is_usable(reply: Reply) -> bool:
    return reply.answered is not None and reply.answered.in_form(Said) is not None


def saying(body: Mapping[str, Any]) -> str:
    return json.dumps({"said": body["messages"][-1]["content"]})


def ask_all(access: Access, folder: Path, **options: Any) -> Done:
    """Ask all six things."""
    texts = [f"thing {number}" for number in range(COUNT)]
    inquiries = [
        Inquiry(sha256(text.encode()).hexdigest(), ChatRequest(MODEL, (("user", text),), 50, form=Said))
        for text in texts
    ]
    known: dict[str, Any] = {"price": chat_price(MODEL), "retries": 1, "timeout": 5.0, "batch": True, "pause": 0.01}
    asking = Inquiries(access, folder, ModelOptions(MODEL, **known | options), "v1")
    return Done(asking.ask(inquiries, in_form(Said)), asking)


@pytest.fixture
def ask(chat_server: FakeOpenAi, tmp_path: Path) -> Ask:
    """Ask all six things, as the runs of one home do."""
    chat_server.answering = saying
    return lambda **options: ask_all(Access.of_environment(chat_server.environment), tmp_path, **options)


PROGRAM = """
import sys
from pathlib import Path
from retrieval.models.access import Access
from tests.retrieval.models.test_batching import ask_all

ask_all(Access(sys.argv[1], sys.argv[2]), Path(sys.argv[3]), timeout=60.0)
"""


def killed_once(chat_server: FakeOpenAi, folder: Path, path: str) -> None:
    """A run of its own that is killed after the server was asked for a path."""
    root = str(Path(__file__).parents[3])
    program = [sys.executable, "-c", PROGRAM, KEY, chat_server.address, str(folder)]
    with subprocess.Popen(program, cwd=root, env=os.environ | {"PYTHONPATH": root}) as run:
        until = time.monotonic() + 60
        while not chat_server.counts.requests[path]:
            assert run.poll() is None, "the run is over"
            assert time.monotonic() < until, "the run does not get on"
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)


def pending(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "batches").glob("*.json"))


def test_a_batch_is_one_request_at_half_the_price(chat_server: FakeOpenAi, ask: Ask, tmp_path: Path) -> None:
    done = ask()
    assert [reply.n_paid for reply in done.replies] == [1] * COUNT
    assert [reply.answered and json.loads(reply.answered.content)["said"] for reply in done.replies] == [
        f"thing {number}" for number in range(COUNT)
    ]
    assert chat_server.counts.requests["/v1/batches"] == 1
    assert chat_server.counts.requests["/v1/chat/completions"] == 0
    assert done.asking.bill.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60)) == done.asking.bill.usd_in_all
    assert done.asking.bill.used.total == chat_server.counts.batch_prompt + chat_server.counts.batch_completion
    assert chat_server.counts.prompt == 0
    assert pending(tmp_path) == []
    assert [reply.n_paid for reply in ask().replies] == [0] * COUNT
    assert set(chat_server.counts.paid.values()) == {1}


def test_what_a_batch_lost_or_spoiled_is_told_and_asked_again(chat_server: FakeOpenAi, ask: Ask) -> None:
    chat_server.plan = InTurn([None, "dropped_result", "malformed", "broken", "refusal", None])
    first = ask()
    assert (first.n_usable, first.reasons) == (2, {"not reached": 2})
    assert {reply.why for reply in first.replies if reply.reason} == {"no answer came for it"}
    assert chat_server.counts.usd(0.15, 0.60) < first.asking.bill.usd_in_all  # what was lost may have cost something
    second = ask()
    assert (second.n_usable, sum(reply.n_paid for reply in second.replies)) == (COUNT, 4)


def test_two_of_three_results_are_kept(chat_server: FakeOpenAi, ask: Ask) -> None:
    chat_server.batches.keeps = 4
    assert ask().n_usable == 4
    assert ask().n_usable == COUNT
    assert set(chat_server.counts.paid.values()) == {1}


def test_a_run_that_was_killed_while_it_waited_pays_nothing_twice(chat_server, ask, tmp_path):
    chat_server.batches.looks = 1_000_000
    killed_once(chat_server, tmp_path, "/v1/batches/batch_1")
    assert len(pending(tmp_path)) == 1
    still = ask(batch=False)
    assert {(reply.reason, reply.why) for reply in still.replies} == {
        ("not reached", "it is in a batch that is still running")
    }
    chat_server.batches.looks = 1
    assert ask().n_usable == COUNT
    assert chat_server.counts.requests["/v1/batches"] == 1
    assert set(chat_server.counts.paid.values()) == {1}
    assert pending(tmp_path) == []


@pytest.mark.parametrize("silent", ["POST /files", "POST /batches"])
def test_a_run_that_was_killed_before_it_knew_the_batch_finds_it_or_sends_it(chat_server, ask, tmp_path, silent):
    chat_server.batches.silent = silent
    killed_once(chat_server, tmp_path, f"/v1{silent.removeprefix('POST ')}")
    assert len(pending(tmp_path)) == 1
    chat_server.batches.silent = ""
    done = ask()
    assert done.n_usable == COUNT
    assert set(chat_server.counts.paid.values()) == {1}
    assert done.asking.bill.usd_in_all == pytest.approx(chat_server.counts.usd(0.15, 0.60))
    assert pending(tmp_path) == []


def test_a_batch_that_is_refused_costs_nothing(chat_server: FakeOpenAi, ask: Ask, tmp_path: Path) -> None:
    chat_server.batches.ends = "failed"
    done = ask()
    assert (done.reasons, done.asking.bill.usd_in_all) == ({"not reached": COUNT}, 0.0)
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
    assert chat_server.counts.usd(0.15, 0.60) <= done.asking.bill.usd_in_all <= budget
