"""Processes that tests start."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Sequence

PATIENCE = 20.0
"""Seconds that a process has to end by itself."""

_HEARS_CTRL_C = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)


def hearing_ctrl_c(*arguments: str) -> Sequence[str]:
    """A command of this Python that Ctrl-C ends, also where a shell runs the tests in the background.

    Such a shell has its children ignore Ctrl-C, and they hand that down. To undo it between the fork and the start
    of the command would run gRPC's threads there, which write what they think of it to the command's own output.
    """
    return [sys.executable, "-c", _HEARS_CTRL_C, sys.executable, *arguments]


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
