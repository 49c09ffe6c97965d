"""Requests to a fake server on a real socket: paid once, none past the budget, asked again where of no use."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from retrieval.errors import ModelKeyError
from retrieval.models.access import Access
from retrieval.models.chat import Answered, Asked
from retrieval.models.chat_prices import chat_price
from retrieval.models.inquiries import MOST_UNREACHED, Inquiries, Inquiry
from tests.openai_server.faults import AtRandom, InTurn
from tests.openai_server.server import KEY, FakeOpenAi

MODEL = "gpt-4o-mini"


def inquiries(*texts: str) -> list[Inquiry]:
    return [
        Inquiry(sha256(text.encode()).hexdigest(), Asked(MODEL, (("system", "say it"), ("user", text)), 50))
        for text in texts
    ]


def usable(answered: Answered) -> bool:
    return answered.content.startswith("said") and answered.finish == "stop"


@pytest.fixture
def server(chat_server: FakeOpenAi) -> FakeOpenAi:
    chat_server.retry_after = "0.001"
    chat_server.answering = lambda body: f"said {body['messages'][1]['content']}"
    return chat_server


def asking(server: FakeOpenAi, folder: Path, budget: float | None = None, retries: int = 4) -> Inquiries:
    access = Access.of_environment(server.environment)
    return Inquiries(access, folder, MODEL, "v1", chat_price(MODEL), budget, retries=retries, timeout=5.0)


def contents(found: Inquiries, *texts: str) -> list[str | None]:
    return [each.answered.content if each.answered else None for each in found.ask(inquiries(*texts), usable)]


def test_answers_come_in_turn_and_are_paid_once(server: FakeOpenAi, tmp_path: Path) -> None:
    first = asking(server, tmp_path)
    assert contents(first, "a", "b", "a") == ["said a", "said b", "said a"]
    assert (first.used.prompt, first.used.completion) == (server.counts.prompt, server.counts.completion)
    assert first.usd == pytest.approx((first.used.prompt * 0.15 + first.used.completion * 0.6) / 1_000_000)
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
    found = Inquiries(Access.of_environment(server.environment), tmp_path, MODEL, "v1", None, retries=8, timeout=0.3)
    assert contents(found, *texts) == [f"said {text}" for text in texts]
    assert faults.happened
    assert found.usd is None


def test_nothing_is_sent_that_could_pass_the_budget(server: FakeOpenAi, tmp_path: Path) -> None:
    found = asking(server, tmp_path, 0.0002)
    replies = found.ask(inquiries(*(f"text {number}" for number in range(30))), usable)
    assert found.usd is not None
    assert 0 < found.usd <= 0.0002
    assert {each.why for each in replies if each.answered is None} != {""}
    assert all("of the budget of $0.0002" in each.why for each in replies if each.answered is None)


def test_a_server_that_is_gone_is_not_asked_for_everything(server: FakeOpenAi, tmp_path: Path) -> None:
    server.plan = lambda _: "broken"
    found = Inquiries(Access(KEY, server.address), tmp_path, MODEL, "v1", None, retries=0, timeout=5.0).ask(
        inquiries(*(f"text {number}" for number in range(60))), usable
    )
    assert all(each.answered is None and each.why for each in found)
    assert f"not asked: {MOST_UNREACHED} in succession failed before it" in {each.why for each in found}
    assert len(server.asked) < 60


def test_a_key_that_is_missing_or_refused_is_one_error_and_kept_answers_need_none(
    server: FakeOpenAi, tmp_path: Path
) -> None:
    assert contents(asking(server, tmp_path), "a") == ["said a"]
    without = Inquiries(Access(), tmp_path, MODEL, "v1", None, otherwise="write them yourself")
    assert contents(without, "a") == ["said a"]
    with pytest.raises(ModelKeyError, match="needs OPENAI_API_KEY; set it, or write them yourself"):
        without.ask(inquiries("b"), usable)
    server.plan = lambda _: "key"
    with pytest.raises(ModelKeyError, match="is refused") as refused:
        asking(server, tmp_path).ask(inquiries("b", "c", "d"), usable)
    assert KEY not in str(refused.value)
