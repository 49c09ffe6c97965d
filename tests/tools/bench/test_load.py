"""A real server under load, and what is counted of it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import RetrievalError
from retrieval.home import Home
from tests.retrieval.serve.conftest import served
from tools.bench.load import KindTiming, Load, LoadReport, Request, ServerRun, run_load, send_requests


@pytest.mark.slow
def test_a_real_server_answers_every_client_while_an_index_goes_live(run: Callable[..., Any], sample: Home) -> None:
    options = ["--clients", 3, "--seconds", 3, "--promotions", 1, "--processes", "1", "--json"]
    ran = run("bench", "load", *options, "--home", sample.root)
    (server,) = ran.json["runs"]
    assert (ran.status, server["errors"], server["first_errors"]) == (0, 0, [])
    assert (server["processes"], server["promoted"], server["indexes"]) == (1, 1, 2)
    assert sum(each["requests"] for each in server["kinds"]) == server["requests"] > 3
    assert all(0 < each["p50_ms"] <= each["p95_ms"] <= each["max_ms"] for each in server["kinds"])
    assert server["requests_per_second"] > 0


def test_what_a_server_does_not_answer_is_an_error(tmp_path: Path) -> None:
    with served(tmp_path / "empty") as client:
        # With this seed the first request of one client is a search, and that of the other an answer.
        query = asyncio.run(send_requests(str(client.base_url), ["axes"], Load(2, 0.5, seed=7), ["live"]))
    assert {each.kind for each in query} == {"search", "answer"}
    assert all(each.error for each in query)
    assert any(each.error.startswith("status 503: ") for each in query if each.kind == "search")
    assert any("did not end with `complete`" in each.error for each in query if each.kind == "answer")
    gone = asyncio.run(send_requests(str(client.base_url), ["axes"], Load(1, 0.1), ["live"]))
    assert gone[0].error.startswith("ConnectError")


def test_an_index_that_was_never_live_may_not_answer(sample: Home) -> None:
    with served(sample.root) as client:
        query = asyncio.run(send_requests(str(client.base_url), ["what does a mace cost"], Load(2, 0.5), ["another"]))
    assert all(each.error.endswith("answered, which was never live") for each in query)


def test_a_run_is_told_by_kind_and_its_errors_once_each() -> None:
    requests = [Request("search", ms, "a") for ms in range(1, 102)]
    requests += [Request("answer", 9.0, error="status 500: x"), Request("answer", 7.0, error="status 500: x")]
    server = ServerRun.of(2, requests, 10.0, 1)
    assert server.kinds == (KindTiming("search", 101, 51, 96, 101), KindTiming("answer", 2, 8, 8.9, 9))
    assert (server.errors, server.first_errors, server.requests_per_second) == (2, ("status 500: x",), 10.3)
    report = LoadReport(2, "3.11.7", 0.5, 980, 50, 120, (server,))
    assert not report.sound
    assert list(report.lines()) == [
        "50 clients for 120 s, 980 chunks, 2 cores, Python 3.11.7, load 0.5 before",
        "2 processes: 103 requests, 2 errors, 10.3 a second; promotions: 1, indexes that answered: 1",
        "  search     101  p50 51 ms, p95 96 ms, longest 101 ms",
        "  answer       2  p50 8 ms, p95 9 ms, longest 9 ms",
        "  error: status 500: x",
    ]


@pytest.mark.parametrize("processes", ["0", "1,x", ""])
def test_processes_are_numbers(run: Callable[..., Any], sample: Home, processes: str) -> None:
    ran = run("bench", "load", "--processes", processes, "--home", sample.root)
    assert ran.status == 2
    assert "not a list of numbers" in ran.err


def test_a_home_without_questions_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="has no questions"):
        run_load(Home.at(tmp_path), Load(1, 1), [1])
