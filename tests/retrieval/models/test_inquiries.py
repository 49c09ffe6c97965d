"""Requests to a fake server on a real socket: paid once, none past the budget, asked again where of no use."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import ModelKeyError
from retrieval.models.access import Access, Limits
from retrieval.models.batching import Inquiry
from retrieval.models.chat import Answered, ChatRequest, Usage
from retrieval.models.inquiries import MOST_UNREACHED, Inquiries
from retrieval.models.spending import ModelOptions, chat_price
from tests.openai_server.faults import AtRandom, InTurn
from tests.openai_server.server import KEY, FakeOpenAi

MODEL = "gpt-4o-mini"


def inquiries(*texts: str) -> list[Inquiry]:
    return [
        Inquiry(sha256(text.encode()).hexdigest(), ChatRequest(MODEL, (("system", "say it"), ("user", text)), 50))
        for text in texts
    ]


def usable(_: Inquiry, answered: Answered) -> bool:
    return answered.content.startswith("said") and answered.finish == "stop"


@pytest.fixture
def server(chat_server: FakeOpenAi) -> FakeOpenAi:
    chat_server.retry_after = "0.001"
    chat_server.answering = lambda body: f"said {body['messages'][1]['content']}"
    return chat_server


def asking(server: FakeOpenAi, folder: Path, budget: float | None = None, **options: Any) -> Inquiries:
    known: dict[str, Any] = {"price": chat_price(MODEL), "budget_usd": budget, "timeout": 5.0}
    return Inquiries(Access.of_environment(server.environment), folder, ModelOptions(MODEL, **known | options), "v1")


def contents(found: Inquiries, *texts: str) -> list[str | None]:
    return [each.answered.content if each.answered else None for each in found.ask(inquiries(*texts), usable)]


def test_answers_come_in_turn_and_are_paid_once(server: FakeOpenAi, tmp_path: Path) -> None:
    first = asking(server, tmp_path)
    assert contents(first, "a", "b", "a") == ["said a", "said b", "said a"]
    assert (first.bill.used.prompt, first.bill.used.completion) == (server.counts.prompt, server.counts.completion)
    assert first.bill.usd == pytest.approx(server.counts.usd(0.15, 0.6))
    again = asking(server, tmp_path)
    assert [each.key for each in again.unanswered(inquiries("a", "c"), usable)] == [inquiries("c")[0].key]
    assert contents(again, "b", "c") == ["said b", "said c"]
    assert set(server.counts.paid.values()) == {1}


def test_an_answer_of_no_use_is_asked_for_once_more_and_then_left(server: FakeOpenAi, tmp_path: Path) -> None:
    server.plan = InTurn(["truncated"])
    assert contents(asking(server, tmp_path), "a") == ["said a"]
    server.answering = lambda _: "no"
    assert contents(asking(server, tmp_path), "b") == ["no"]
    assert contents(asking(server, tmp_path), "b") == ["no"]
    assert len(server.asked) == 4


def test_whatever_passes_is_lived_through(server: FakeOpenAi, tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(40)]
    faults = AtRandom(3, 0.4, ["busy", "broken", "cut", "stall"])
    server.plan = faults
    result = asking(server, tmp_path, price=None, retries=8, timeout=0.3)
    assert contents(result, *texts) == [f"said {text}" for text in texts]
    assert faults.happened
    assert result.bill.usd is None


def test_nothing_is_sent_that_could_pass_the_budget(server: FakeOpenAi, tmp_path: Path) -> None:
    result = asking(server, tmp_path, 0.0002)
    replies = result.ask(inquiries(*(f"text {number}" for number in range(30))), usable)
    assert result.bill.usd is not None
    assert 0 < result.bill.usd <= 0.0002
    assert {reply.why for reply in replies if reply.answered is None} != {""}
    assert all("of the budget of $0.0002" in reply.why for reply in replies if reply.answered is None)


def test_what_the_budget_set_aside_and_did_not_use_is_asked_for_in_a_second_round(server, tmp_path):
    texts = [f"text {number}" for number in range(24)]
    (one, *_) = inquiries(texts[0])
    price = chat_price(MODEL)
    most = price.of(Usage(one.request.most_prompt_tokens, one.request.max_tokens))
    # What 12 of them set aside at once is all that there is, and an answer costs far less than that.
    access = replace(Access.of_environment(server.environment), limits=Limits(concurrency=24))
    result = Inquiries(access, tmp_path, ModelOptions(MODEL, price, 12.5 * most), "v1")
    server.delay = 0.1
    replies = result.ask(inquiries(*texts), usable)
    assert server.counts.most_working <= 12
    assert all(reply.answered and not reply.reason for reply in replies)
    assert result.bill.usd_in_all <= 12.5 * most


def test_a_server_that_is_gone_is_not_asked_for_everything(server: FakeOpenAi, tmp_path: Path) -> None:
    server.plan = lambda _: "broken"
    result = asking(server, tmp_path, retries=0).ask(inquiries(*(f"text {number}" for number in range(60))), usable)
    assert all(each.answered is None and each.why for each in result)
    assert f"not sent: {MOST_UNREACHED} requests in succession failed before it" in {each.why for each in result}
    assert len(server.asked) < 60


def test_a_key_that_is_missing_or_refused_is_one_error_and_kept_answers_need_none(server, tmp_path):
    assert contents(asking(server, tmp_path), "a") == ["said a"]
    without = Inquiries(Access(), tmp_path, ModelOptions(MODEL, None), "v1", otherwise="write them yourself")
    assert contents(without, "a") == ["said a"]
    with pytest.raises(ModelKeyError, match="needs OPENAI_API_KEY; set it, or write them yourself"):
        without.ask(inquiries("b"), usable)
    assert [(each.reason, each.why) for each in without.kept(inquiries("a", "b"), usable)] == [
        ("", ""),
        ("no key", "there is no OPENAI_API_KEY"),
    ]
    server.plan = lambda _: "key"
    with pytest.raises(ModelKeyError, match="was rejected") as refused:
        asking(server, tmp_path).ask(inquiries("b", "c", "d"), usable)
    assert KEY not in str(refused.value)


def test_a_key_that_is_refused_breaks_off_nothing_that_is_paid_for(server: FakeOpenAi, tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(40)]
    server.delay, server.plan = 0.05, AtRandom(5, 0.1, ["key"])
    runs = 0
    while True:
        runs += 1
        try:
            assert contents(asking(server, tmp_path), *texts) == [f"said {text}" for text in texts]
            break
        except ModelKeyError:
            assert len(server.counts.paid) < len(texts)
    assert runs > 1
    assert set(server.counts.paid.values()) == {1}
    assert asking(server, tmp_path).bill.usd_in_all == pytest.approx(server.counts.usd(0.15, 0.60))


def test_a_model_that_thinks_is_asked_in_its_own_words_and_within_the_budget(server, tmp_path):
    server.thinks = 300
    cut = asking(server, tmp_path, retries=0).ask(inquiries("a"), usable)
    assert [each.answered and each.answered.finish for each in cut] == ["length"]
    texts = [f"text {number}" for number in range(12)]
    result = asking(server, tmp_path, 0.0015, retries=0, thinking=300)
    replies = result.ask(inquiries(*texts), usable)
    answered = [reply.answered.content for reply in replies if reply.answered]
    assert 0 < len(answered) < 12
    assert set(answered) <= {f"said {text}" for text in texts}
    assert {reply.reason for reply in replies if not reply.answered} == {"budget"}
    assert server.counts.usd(0.15, 0.60) == pytest.approx(result.bill.usd_in_all)
    assert result.bill.usd_in_all <= 0.0015
    assert result.bill.used.completion > 300 * len(answered)
