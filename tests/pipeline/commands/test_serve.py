"""The server as a process, and its keys, from a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from retrieval.home import Home
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


@pytest.mark.parametrize("processes", [1, 2])
def test_a_server_answers_until_it_is_told_to_end(sample: Home, processes: int) -> None:
    port = free_port()
    command = [sys.executable, "-m", "pipeline.cli", "serve", "--home", sample.root, "--port", port]
    command += ["--processes", processes]
    server = subprocess.Popen(
        list(map(str, command)), stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENAI_API_KEY": ""}
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
