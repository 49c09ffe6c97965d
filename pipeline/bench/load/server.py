"""`querymust serve` as a process, until it is no longer needed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from retrieval.clock import Clock
from retrieval.errors import RetrievalError

_PATIENCE = 120.0
"""Seconds until a server answers, and until it has ended."""
_PER_MINUTE = 10**9
"""Requests of one client: here the server is measured and not its limit."""


@contextmanager
def server(home: Path, processes: int) -> Iterator[str]:
    """The address of a server over a home that answers already; it ends with the block.

    Raises:
        RetrievalError: it did not start.
    """
    url = f"http://127.0.0.1:{_free_port()}"
    command = [sys.executable, "-m", "pipeline.cli", "serve", "--home", str(home), "--port", url.rpartition(":")[2]]
    command += ["--processes", str(processes), "--per-minute", str(_PER_MINUTE)]
    log = home / "serve.log"
    with log.open("w") as errors:
        started = subprocess.Popen(  # noqa: S603 -- this very program
            command, stderr=errors, env={**os.environ, "OPENAI_API_KEY": ""}
        )
    try:
        _await(url, started, log)
        yield url
    finally:
        started.send_signal(signal.SIGINT)
        try:
            started.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def _await(url: str, started: "subprocess.Popen[bytes]", log: Path) -> None:
    clock = Clock()
    while clock.seconds < _PATIENCE and started.poll() is None:
        try:
            if httpx.get(f"{url}/healthz", timeout=_PATIENCE).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    *_, last = log.read_text("utf-8").strip().splitlines() or [""]
    raise RetrievalError(f"the server did not start: {last}; try `querymust serve` with the same home")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
