"""Processes that tests start."""

from __future__ import annotations

import socket
import subprocess

PATIENCE = 20.0
"""Seconds that a process has to end by itself."""


def end(process: subprocess.Popen[bytes], patience: float = PATIENCE) -> None:
    """Ask a process to end, and kill it if it does not: a gRPC server may wait for its own threads for ever."""
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
