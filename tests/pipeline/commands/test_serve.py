"""The server as a process, and its keys, from a terminal."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from pipeline.commands.serve import application
from retrieval.home import Home
from retrieval.serve.worker import VARIABLE, Served
from tests.retrieval.conftest import free_port


def test_keys_are_made_named_and_removed(run, tmp_path: Path) -> None:
    status, out, errors = run("keys", "add", "bot", "--scope", "write", "--home", tmp_path)
    assert status == 0
    assert out.startswith("qm_")
    assert "shown this once" in errors
    assert run("keys", "list", "--home", tmp_path)[1].split() == ["bot", "write"]
    assert run("keys", "remove", "bot", "--home", tmp_path)[0] == 0
    status, _, errors = run("keys", "remove", "bot", "--home", tmp_path)
    assert status == 2
    assert "no key is called 'bot'" in errors


@pytest.mark.parametrize(("processes", "key"), [(1, ""), (2, "sk-no-key")])
def test_a_server_answers_until_it_is_told_to_end(sample: Home, processes: int, key: str) -> None:
    port = free_port()
    command = [sys.executable, "-m", "pipeline.cli", "serve", "--home", sample.root, "--port", port]
    command += ["--processes", processes]
    server = subprocess.Popen(
        list(map(str, command)), stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENAI_API_KEY": key}
    )
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until and server.poll() is None:
            try:
                answer = httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=60)
                status = httpx.get(f"http://127.0.0.1:{port}/v1/status", timeout=60).json()
                break
            except httpx.TransportError:
                time.sleep(0.1)
        assert answer.json() == {"status": "ok"}
        assert "What does a 7th level cleric need to roll to hit AC 6?" in status["examples"]
    finally:
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
    assert f"http://127.0.0.1:{port}" in errors
    assert "Traceback" not in errors
    notice = "each answer sends the question and up to 5 passages to the model gpt-4o-mini at api.openai.com\n"
    assert (notice in errors) == bool(key)


def test_a_taken_port_is_said_before_any_address_is_shown(run, sample: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, out, errors = run("serve", "--home", sample.root, "--port", port)
    assert (status, out) == (2, "")
    assert errors.startswith(f"error: port {port} of 127.0.0.1 is taken")
    assert len(errors.splitlines()) == 1


def test_a_server_learns_of_scores_that_came_later_and_searches_as_it_was_told(
    sample_copy: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = sample_copy.evaluations
    away = scores.rename(scores.with_name("away"))
    served = Served(sample_copy.root, strategy="bm25")
    monkeypatch.setenv(VARIABLE, TypeAdapter(Served).dump_json(served).decode())
    with TestClient(application(), base_url="http://127.0.0.1") as client:
        assert client.get("/v1/status").json()["examples"] == []
        away.rename(scores)
        status = client.get("/v1/status").json()
        assert "What does a 7th level cleric need to roll to hit AC 6?" in status["examples"]
        assert status["strategy"] == "bm25"
        asked = {"query": "to hit AC 6", "k": 1}
        assert client.post("/v1/retrieve", json=asked).json()["strategy"] == "bm25"
        named = client.post("/v1/retrieve", json=asked | {"strategy": "dense", "min_relevance": 0}).json()
        assert named["strategy"] == "dense"
        assert 0 <= named["hits"][0]["relevance"] <= 1
