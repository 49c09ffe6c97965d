"""What is sent to a model that refuses what all others take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from retrieval.errors import ModelError
from retrieval.models.access import Access
from retrieval.models.chat import Asked
from retrieval.models.dialects import Dialects
from retrieval.models.openai_client import OpenAiClient
from tests.openai_server.server import KEY, FakeOpenAi

ASKED = Asked("m", (("user", "Why?"),), 50)
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
def test_a_model_says_what_it_refuses_and_is_asked_so_from_then_on(
    chat_server: FakeOpenAi, ask: Callable[[OpenAiClient], str]
) -> None:
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
    body = Dialects().body(Asked(model, (), 50))
    assert ("max_completion_tokens" in body, "temperature" in body) == (thinks, not thinks)
