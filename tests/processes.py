"""Processes that tests start."""

from __future__ import annotations

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
