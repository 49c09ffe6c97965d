"""What an answer is as a form, and why it is none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from retrieval.errors import ModelError
from retrieval.models.access import Access
from retrieval.models.batching import Inquiry, in_form
from retrieval.models.chat import Answered, ChatRequest, Dialects, Usage, prompt_words, versioned
from retrieval.models.openai_client import OpenAiClient
from tests.openai_server.server import KEY, FakeOpenAi


class Said(BaseModel):
    model_config = ConfigDict(extra="forbid")
    said: str


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"refusal": "I cannot\nhelp with that"}, "refused: I cannot help with that"),
        ({"finish": "length"}, "the answer was cut off because it is too long"),
        ({"content": '{"said": '}, "not in the requested form: Invalid JSON"),
        ({"content": '{"said": "a", "more": 1}'}, "not in the requested form: Extra inputs"),
        ({"content": "{}"}, "not in the requested form: Field required"),
    ],
)
def test_what_is_not_in_the_form_says_why_on_one_line(changed: dict[str, Any], why: str) -> None:
    whole = {"content": '{"said": "a"}', "refusal": None, "finish": "stop", "usage": Usage()}
    inquiry = Inquiry("key", ChatRequest("m", (), 10))
    good, bad = Answered(**whole), Answered(**whole | changed)
    assert (good.read_as(Said), good.in_form(Said)) == (Said(said="a"), Said(said="a"))
    assert in_form(Said)(inquiry, good)
    told = bad.read_as(Said)
    assert isinstance(told, str)
    assert told.startswith(why)
    assert "\n" not in told
    assert (bad.in_form(Said), in_form(Said)(inquiry, bad)) == (None, False)


ASKED = ChatRequest("m", (("user", "Why?"),), 50)
WORDS = {"model": "m", "messages": [{"role": "user", "content": "Why?"}]}


def whole(client: OpenAiClient) -> str:
    return client.chat(ASKED).content


def streamed(client: OpenAiClient) -> str:
    return "".join(each.text for each in client.stream(ASKED))


def without_blocking(client: OpenAiClient) -> str:
    async def run() -> str:
        return "".join([each.text async for each in client.stream_async(ASKED)])

    return asyncio.run(run())


@pytest.mark.parametrize("ask", [whole, streamed, without_blocking])
def test_a_model_says_what_it_refuses_and_is_asked_so_from_then_on(chat_server, ask):
    chat_server.thinks = 10
    client = OpenAiClient(Access(KEY, chat_server.address), retries=0, timeout=5.0)
    assert [ask(client), ask(client)] == ["The answer is 10 [1]."] * 2
    first, *later = [{name: body[name] for name in body if "stream" not in name} for body in chat_server.asked]
    assert first == WORDS | {"max_tokens": 50, "temperature": 0.0}
    assert later == [WORDS | {"max_completion_tokens": 50}] * 2


def test_another_refusal_teaches_nothing(chat_server: FakeOpenAi) -> None:
    chat_server.status = 400
    client = OpenAiClient(Access(KEY, chat_server.address), retries=0, timeout=5.0)
    with pytest.raises(ModelError, match="BadRequestError"):
        client.chat(ASKED)
    assert chat_server.counts.requests["/v1/chat/completions"] == 1


@pytest.mark.parametrize(
    ("model", "thinks"), [("o3", True), ("gpt-5-mini", True), ("gpt-5-chat-latest", False), ("gpt-4o", False)]
)
def test_models_of_openai_are_known_by_their_names_because_a_batch_learns_nothing(model: str, thinks: bool) -> None:
    body = Dialects().body(ChatRequest(model, (), 50))
    assert ("max_completion_tokens" in body, "temperature" in body) == (thinks, not thinks)


class One(BaseModel):
    place: int


class Other(BaseModel):
    places: list[int]


def test_the_version_has_the_number_of_the_prompt_and_another_form_is_another_version() -> None:
    package, file = "retrieval.search.by_model", "prompt_v1.txt"
    one, other = versioned(package, file, One), versioned(package, file, Other)
    assert {one.partition("-")[0], other.partition("-")[0]} == {"v1"}
    assert one != other
    assert prompt_words(package, file).startswith("You put passages")
