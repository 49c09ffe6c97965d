"""A build in a process of its own, which Ctrl-C ends at once, and the messages of that process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from pipeline.runs.outcomes import Build, BuildProblem, Progress, Step
from retrieval.errors import RetrievalError
from retrieval.files.locks import write_lock
from retrieval.files.records import dump_record, parse_record
from retrieval.home import Home


@dataclass(frozen=True, slots=True)
class Order:
    """The home to build, and the reasons for overruling checks."""

    home: Home
    force: str | None = None
    """The reason why the candidate goes live even if its scores refuse it."""
    accept: str | None = None
    """The reason why text that may be damaged goes live as it was read."""


@dataclass(frozen=True, slots=True)
class Message:
    """A step of the build; the last message holds the result or the error instead."""

    step: Step | None = None
    build: Build | None = None
    error: str | None = None


GRACE = 1.0
"""Seconds for an interrupted worker to mark its run as canceled; then it is killed, and the next build marks it."""


def build_apart(home: Home, progress: Progress, force: str | None = None, accept: str | None = None) -> Build:
    """Run `pipeline.runs.build.build` in a process of its own, which holds the home's lock too.

    A KeyboardInterrupt ends the worker at once: finished work is kept, unfinished work is not visible.

    Raises:
        HomeBusyError: another process writes to this home.
        RetrievalError: the error that the build raised; nothing was changed.
    """
    with write_lock(home.root) as lock, _worker(lock) as worker:
        last = _listen(worker, Order(home, force, accept), progress)
        status = worker.wait()
        if last.error is not None:
            raise RetrievalError(last.error)
        return last.build or Build(problems=[BuildProblem("build", _died(status))])


def _listen(worker: subprocess.Popen[bytes], order: Order, progress: Progress) -> Message:
    """Send the order, report the steps, and return the worker's last message; an empty one if it ended without any."""
    assert worker.stdin is not None  # noqa: S101 -- both are pipes
    assert worker.stdout is not None  # noqa: S101
    with suppress(BrokenPipeError):
        worker.stdin.write(dump_record(order) + b"\n")
        worker.stdin.flush()
    for line in worker.stdout:
        message = parse_record(line, Message)
        if message.step is None:
            return message
        progress(message.step)
    return Message()


def _died(status: int) -> str:
    if status < 0:
        return f"its process was killed by {signal.Signals(-status).name}; if nobody did that, it ran out of memory"
    return f"its process ended with status {status} before it was done; its output is above"


@contextmanager
def _worker(lock: int) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline.runs.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        pass_fds=(lock,),
        process_group=0,  # a terminal's Ctrl-C reaches this process alone
    ) as worker:
        try:
            yield worker
        finally:
            _end(worker)


def _end(worker: subprocess.Popen[bytes]) -> None:
    """End the worker and all that it started, after `GRACE` at most; a second Ctrl-C ends them at once."""
    try:
        if worker.stdin is not None:
            with suppress(BrokenPipeError):  # a worker that died did not read its order
                worker.stdin.close()
        worker.wait(GRACE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
