"""Clients that ask one question after the other, each as soon as the one before is answered."""

import asyncio
import json
import random
from collections.abc import Sequence
from typing import Any

import httpx

from pipeline.bench.load.report import Kind, Request
from retrieval.clock import Clock

SEARCHES = 0.8
"""Share of the requests that are searches; the others are streamed answers."""
_TIMEOUT = 60.0
_K = 10


async def ask_for(
    url: str, questions: Sequence[str], clients: int, seconds: float, snapshots: Sequence[str], seed: int
) -> list[Request]:
    """What clients ask in so many seconds; each asks once at least, and finishes what it began.

    Args:
        url: of the server.
        questions: asked in random order.
        clients: how many ask at a time.
        seconds: how long.
        snapshots: ids of the indexes that may answer.
        seed: of the order and the kinds.
    """
    clock = Clock()

    async def client(number: int) -> list[Request]:
        chance, asked = random.Random(f"{seed} {number}"), list[Request]()
        async with httpx.AsyncClient(base_url=url, timeout=_TIMEOUT) as connection:
            while not asked or clock.seconds < seconds:
                kind: Kind = "search" if chance.random() < SEARCHES else "answer"
                asked.append(await _ask(connection, kind, chance.choice(questions), snapshots))
        return asked

    return [request for each in await asyncio.gather(*map(client, range(clients))) for request in each]


async def _ask(connection: httpx.AsyncClient, kind: Kind, question: str, snapshots: Sequence[str]) -> Request:
    clock = Clock()
    try:
        if kind == "search":
            response = await connection.post("/v1/retrieve", json={"query": question, "k": _K})
            milliseconds, answer = clock.milliseconds, _checked(response).json()
        else:
            response = await connection.post("/v1/query", json={"query": question, "how": "read"})
            milliseconds, answer = clock.milliseconds, _completed(_checked(response).text)
    except httpx.HTTPError as error:
        return Request(kind, clock.milliseconds, error=f"{type(error).__name__} {error}".strip())
    except ValueError as error:
        return Request(kind, clock.milliseconds, error=str(error))
    if answer["snapshot"] not in snapshots:
        return Request(kind, milliseconds, error=f"the index {answer['snapshot']} answered, which was never live")
    return Request(kind, milliseconds, answer["snapshot"])


def _checked(response: httpx.Response) -> httpx.Response:
    if response.status_code != httpx.codes.OK:
        raise ValueError(f"status {response.status_code}: {response.text:.200}")
    return response


def _completed(stream: str) -> dict[str, Any]:
    """The answer of a stream of events."""
    events = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]
    if not events or events[-1]["event"] != "complete":
        told = events[-1] if events else "no event"
        raise ValueError(f"a stream did not end with `complete`: {told!s:.200}")
    answer: dict[str, Any] = events[-1]["answer"]
    return answer
