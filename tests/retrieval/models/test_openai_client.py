from __future__ import annotations

import asyncio
import json
import logging
import time
import traceback
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from retrieval.errors import ModelError, ModelKeyError
from retrieval.models.access import Access, Limits
from retrieval.models.chat import Answered, ChatRequest, Usage
from retrieval.models.openai_client import OpenAiClient, answers_in
from retrieval.models.spending import ChatPrice, Ledger, Spending
from tests.openai_server.faults import InTurn
from tests.openai_server.server import KEY, FakeOpenAi


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")
    answer: str


def make_request(text: str = "Why?") -> ChatRequest:
    return ChatRequest("m", (("system", "Be brief."), ("user", text)), 50, form=Form)


def client(server: FakeOpenAi, limits: Limits | None = None, **options: Any) -> OpenAiClient:
    return OpenAiClient(Access(KEY, server.address, limits or Limits()), **{"retries": 0, "timeout": 5.0} | options)


PRICE = ChatPrice("m", 1.0, 2.0)


@pytest.fixture
def spending(tmp_path: Path) -> Spending:
    return Spending(PRICE, Ledger(tmp_path))


def metered(
    server: FakeOpenAi, spending: Spending, requests: int = 1, **options: Any
) -> list[Answered | BaseException]:
    async def run() -> list[Answered | BaseException]:
        async with client(server, **options).session(spending) as session:
            chats = (session.chat(make_request(f"Why {number}?")) for number in range(requests))
            return await asyncio.gather(*chats, return_exceptions=True)

    return asyncio.run(run())


def test_a_form_is_asked_for_and_the_server_says_what_was_used(chat_server: FakeOpenAi) -> None:
    answer = client(chat_server).chat(make_request())
    assert (answer.content, answer.refusal, answer.finish) == ("The answer is 10 [1].", None, "stop")
    assert answer.usage == Usage(chat_server.counts.prompt, chat_server.counts.completion)
    (body,) = chat_server.asked
    assert body == make_request().body
    assert body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    assert answer.usage.prompt < make_request().most_prompt_tokens


def test_embeddings_come_in_the_order_of_their_texts(chat_server: FakeOpenAi) -> None:
    rows = client(chat_server).embed("m", ["a", "abc", "ab"])
    assert [row.index(2.0) for row in rows] == [1, 3, 2]
    assert chat_server.asked[0]["encoding_format"] == "base64"


def test_what_fails_for_a_passing_reason_is_sent_again_when_the_server_says(chat_server, spending):
    chat_server.retry_after = "0.25"
    for ask in (
        lambda: [client(chat_server, retries=3).chat(make_request())],
        lambda: metered(chat_server, spending, retries=3),
    ):
        chat_server.plan = InTurn(["busy", "broken"])
        began = time.monotonic()
        assert ask()[0].content == "The answer is 10 [1]."
        assert 0.5 <= time.monotonic() - began < 3.0
    assert len(chat_server.asked) == 6


def test_without_a_word_of_the_server_pauses_grow(chat_server: FakeOpenAi, spending: Spending) -> None:
    chat_server.retry_after = "soon"
    chat_server.plan = InTurn(["busy", "broken"])
    began = time.monotonic()
    assert isinstance(metered(chat_server, spending, retries=2)[0], Answered)
    assert 0.75 * (0.5 + 1.0) <= time.monotonic() - began < 3.0


def test_a_server_that_wants_to_be_left_alone_for_an_hour_is(chat_server: FakeOpenAi, spending: Spending) -> None:
    chat_server.retry_after, chat_server.plan = "3600", InTurn(["busy"] * 9)
    began = time.monotonic()
    for failed in metered(chat_server, spending, retries=4):
        assert isinstance(failed, ModelError)
        assert failed.passing
    with pytest.raises(ModelError, match="RateLimitError"):
        client(chat_server, retries=4).chat(make_request())
    assert (len(chat_server.asked), time.monotonic() - began < 3.0) == (2, True)


def test_every_attempt_is_set_aside_and_what_may_have_been_paid_stays_so(chat_server, spending, monkeypatch):
    monkeypatch.setattr("retrieval.models.access._FIRST_PAUSE", 0.01)
    chat_server.plan = InTurn(["busy", "hang", "cut", None])
    (answer,) = metered(chat_server, spending, retries=3, timeout=1.0)
    assert isinstance(answer, Answered)
    assert spending.used == answer.usage
    assert spending.usd == pytest.approx(2 * spending.most(make_request("Why 0?")) + PRICE.of(answer.usage))


def test_no_more_requests_are_under_way_than_the_limit_allows(chat_server: FakeOpenAi, spending: Spending) -> None:
    chat_server.delay = 0.03
    answers = metered(chat_server, spending, 12, limits=Limits(3), timeout=5.0)
    assert all(isinstance(answer, Answered) for answer in answers)
    assert chat_server.counts.most_working == 3


FAILURES: dict[str, tuple[type[ModelError], str]] = {
    "key": (ModelKeyError, "the key in OPENAI_API_KEY was rejected"),
    "busy": (ModelError, "RateLimitError"),
    "broken": (ModelError, "InternalServerError"),
    "hang": (ModelError, "APITimeoutError"),
    "cut": (ModelError, "APIConnectionError"),
}


IN_TIME = 0.25
"""Seconds; nothing that is asked there is answered well."""


def whole(server: FakeOpenAi, _: Path) -> object:
    return client(server, timeout=IN_TIME).chat(make_request())


def streamed(server: FakeOpenAi, _: Path) -> object:
    chat = OpenAiClient(Access(KEY, server.address), timeout=IN_TIME)
    return list(chat.stream(make_request()))


def embedded(server: FakeOpenAi, _: Path) -> object:
    return client(server, timeout=IN_TIME).embed("m", ["a"])


def at_once(server: FakeOpenAi, folder: Path) -> object:
    (answer,) = metered(server, Spending(PRICE, Ledger(folder)), timeout=IN_TIME)
    if isinstance(answer, BaseException):
        raise answer
    return answer


@pytest.mark.parametrize("ask", [whole, streamed, embedded, at_once])
@pytest.mark.parametrize("fault", FAILURES)
def test_what_goes_wrong_is_one_error_that_never_holds_the_key(chat_server, caplog, tmp_path, ask, fault):
    if (ask, fault) == (streamed, "cut"):
        pytest.skip("a stream that ends too early has no finish; who listens to it sees that")
    chat_server.retry_after = "0.001"
    chat_server.plan = lambda _: fault
    kind, output = FAILURES[fault]
    with caplog.at_level(logging.DEBUG), pytest.raises(kind, match=output) as raised:
        ask(chat_server, tmp_path)
    assert type(raised.value) is kind
    assert "\n" not in str(raised.value)
    chain, each = "", raised.value
    while each is not None:
        chain += f"{each!r} {each}" + "".join(traceback.format_exception(each))
        each = each.__cause__ or each.__context__
    assert KEY not in chain + caplog.text


def test_a_server_that_is_not_there_costs_nothing(spending: Spending) -> None:
    async def run() -> None:
        nowhere = OpenAiClient(Access(KEY, "http://127.0.0.1:9/v1"), retries=0)
        async with nowhere.session(spending) as session:
            with pytest.raises(ModelError, match="check the key, the address and the network"):
                await session.chat(make_request())

    asyncio.run(run())
    assert spending.usd == 0.0


def test_what_is_no_answer_of_chat_is_an_error(chat_server: FakeOpenAi) -> None:
    with pytest.raises(ValueError, match="not a chat answer"):
        Answered.of({"choices": []})
    assert Answered.of({"choices": [{"message": {"content": None}}]}).content == ""


def test_a_line_of_a_batch_may_contain_other_line_ends() -> None:
    body = {"choices": [{"message": {"content": "a\u2028b\x85c"}}], "usage": {"prompt_tokens": None}}
    lines = [json.dumps({"custom_id": name, "response": {"body": body}}, ensure_ascii=False) for name in ("x", "y")]
    answers = dict(answers_in("\n".join([*lines, ""])))
    assert [answers[name].content for name in ("x", "y")] == ["a\u2028b\x85c"] * 2
    assert answers["x"].usage == Usage()
