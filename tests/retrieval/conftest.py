"""A Chroma server of our own, which every test of a process asks, and a chat server that a test tells what to say."""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import end, free_port

SECONDS = 60


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/api/v2/heartbeat", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address. It is started when the first test asks for it, and stopped at the end."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    command = [Path(sys.executable).with_name("chroma"), "run", "--host", "127.0.0.1", "--port", port, "--path", folder]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)
    try:
        result, until = f"http://127.0.0.1:{port}", time.monotonic() + SECONDS
        while not answers(result):
            assert server.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < until, f"no answer in {SECONDS} s"
            time.sleep(0.05)
        yield result
    finally:
        end(server)
