"""The fake server is what every test of a model rests on: it must say what it was told to say, and count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.openai_server.faults import FAULTS, AtRandom, Fault, InTurn
from tests.openai_server.server import KEY, FakeOpenAi, fake_openai

TABLE = json.dumps({"rows": [{"cells": ["6", "10"]}, {"cells": ["7", "9"]}]})


@pytest.fixture
def server() -> Iterator[FakeOpenAi]:
    with fake_openai() as fake:
        fake.answering = lambda _: TABLE
        yield fake


@pytest.fixture
def client(server: FakeOpenAi) -> Iterator[OpenAI]:
    with OpenAI(api_key=KEY, base_url=server.address, max_retries=0, timeout=5.0) as made:
        yield made


def complete_chat(client: OpenAI, text: str = "Rows?", **options: Any) -> Any:
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}], **options)


def test_answers_are_counted_and_errors_are_not_paid(server: FakeOpenAi, client: OpenAI) -> None:
    answer = complete_chat(client)
    assert answer.choices[0].message.content == TABLE
    assert (server.counts.prompt, server.counts.completion) == (2, answer.usage.completion_tokens)
    server.plan = InTurn(["key", "busy", "broken"])
    for error in (openai.AuthenticationError, openai.RateLimitError, openai.InternalServerError):
        with pytest.raises(error, match=KEY):
            complete_chat(client)
    assert server.counts.requests["/v1/chat/completions"] == 4
    assert (list(server.counts.paid.values()), server.counts.prompt) == ([1], 2)
    assert server.counts.usd(1e6, 0.0) == 2.0


def test_answers_are_spoiled_as_the_plan_says(server: FakeOpenAi, client: OpenAI) -> None:
    server.plan = InTurn(["dropped_row", "changed_value", "malformed", "truncated", "refusal", "cut", "hang"])
    assert len(json.loads(complete_chat(client).choices[0].message.content)["rows"]) == 1
    assert json.loads(complete_chat(client).choices[0].message.content)["rows"][1]["cells"] == ["7", "91"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(complete_chat(client).choices[0].message.content)
    assert complete_chat(client).choices[0].finish_reason == "length"
    assert complete_chat(client).choices[0].message.refusal
    with pytest.raises(openai.APIConnectionError):
        complete_chat(client)
    with pytest.raises(openai.APITimeoutError):
        complete_chat(client, timeout=0.3)
    assert server.gone.wait(5)
    assert list(server.counts.paid.values()) == [7]


def test_a_stream_may_be_cut_or_not_be_json(server: FakeOpenAi, client: OpenAI) -> None:
    def streamed() -> list[str | None]:
        return [chunk.choices[0].finish_reason for chunk in complete_chat(client, stream=True) if chunk.choices]

    server.answering = None
    server.plan = InTurn([None, "cut", "malformed"])
    assert streamed() == [None, None, "stop"]
    assert streamed() == [None]
    with pytest.raises(json.JSONDecodeError):
        streamed()


def test_a_plan_at_random_does_not_depend_on_the_order_of_requests() -> None:
    bodies = [{"messages": number} for number in range(200)]

    def happened(order: list[dict[str, int]]) -> dict[int, Fault | None]:
        plan = AtRandom(7, 0.5, FAULTS)
        return {body["messages"]: plan(body) for body in order}

    assert happened(bodies) == happened(bodies[::-1])
    assert set(happened(bodies).values()) == {None, *FAULTS}


def test_a_batch_may_lack_a_result_and_costs_half(server: FakeOpenAi, client: OpenAI) -> None:
    lines = [
        {"custom_id": str(number), "method": "POST", "url": "/v1/chat/completions", "body": {"messages": []}}
        for number in range(3)
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    server.batches.keeps = 2
    sent = client.files.create(file=("requests.jsonl", content), purpose="batch")
    batch = client.batches.create(input_file_id=sent.id, endpoint="/v1/chat/completions", completion_window="24h")
    states = [client.batches.retrieve(batch.id).status for _ in range(2)]
    assert states == ["in_progress", "completed"]
    done = client.batches.retrieve(batch.id)
    assert done.output_file_id
    results = client.files.content(done.output_file_id).text.splitlines()
    assert [json.loads(line)["custom_id"] for line in results] == ["1", "0"]
    assert server.counts.usd(0.0, 1.0) == server.counts.batch_completion / 2e6 > 0
