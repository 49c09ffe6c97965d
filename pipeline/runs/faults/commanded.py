"""`querymust build` as a person starts it, two processes of which either may be killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pipeline.runs.faults.warm import PATIENCE, Done, environment
from retrieval.clock import Clock

VICTIMS = ("command", "worker", "both")
"""What is killed: the process that waits, the one that builds, or all."""


def run_command(argv: Sequence[str]) -> Done:
    """Run `python -m` to its end, or to the end of our patience."""
    clock = Clock()
    try:
        done = subprocess.run(  # noqa: S603 -- this very program
            [sys.executable, "-m", *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(),
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Done(None, "", clock.seconds)
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"), clock.seconds)


def killed_command(argv: Sequence[str], victim: str, seconds: float) -> Done:
    """Start `python -m`, and kill one of `VICTIMS` after so many seconds, or none where it was done before."""
    clock = Clock()
    with subprocess.Popen(  # noqa: S603 -- this very program
        [sys.executable, "-m", *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    ) as command:
        with suppress(subprocess.TimeoutExpired):
            return Done(command.wait(seconds), "", clock.seconds)
        workers = _children(command.pid)
        for pid in (*(workers if victim != "command" else ()), *((command.pid,) if victim != "worker" else ())):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = command.wait()
    killed = victim != "worker" or bool(workers)
    return Done(-signal.SIGKILL if killed else status, "", clock.seconds)


def _children(pid: int) -> tuple[int, ...]:
    """Process ids of its workers; none where the system does not say."""
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()))
    except FileNotFoundError:
        return ()
