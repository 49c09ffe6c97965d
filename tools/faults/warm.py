"""Programs that start at once: children of a process which has loaded everything, killed for real."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from retrieval.clock import Clock
from retrieval.errors import RetrievalError
from retrieval.files.records import dump_record
from tools.faults.warm_server import Order

PATIENCE = 300.0
"""Seconds after which a program is said to hang; a busy machine needs a minute for the longest."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a program ended."""

    status: int | None
    """As `subprocess` gives it: negative for the signal that ended it; None where it hung and was killed for that."""
    said: str
    """Standard output and standard error."""
    seconds: float

    @property
    def sentence(self) -> str:
        """What is to be said of a program that should have done well."""
        how = "hung" if self.status is None else f"ended with status {self.status}"
        lines = self.said.strip().splitlines()
        return f"{how}: {lines[-1] if lines else 'it said nothing'}"


class Warm:
    """Runs `python -m MODULE ARGUMENTS`, one at a time, without the seconds that it takes to start."""

    def __init__(self, server: subprocess.Popen[bytes], folder: Path) -> None:
        self._server, self._said = server, folder / "said.txt"
        self._number()

    def run(self, *argv: str | Path, kill_after: float | None = None, patience: float = PATIENCE) -> Done:
        """Run a program to its end, or kill its process group after so many seconds with SIGKILL."""
        self._said.unlink(missing_ok=True)  # one that is killed at once says nothing, and not what the last one said
        self._write(argv)
        clock = Clock()
        child = self._number()
        status = self._answer(patience if kill_after is None else kill_after)
        hung = status is None and kill_after is None
        if status is None:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            status = self._number()
        output = self._said.read_text("utf-8", "replace") if self._said.is_file() else ""
        return Done(None if hung else status, output, clock.seconds)

    def _write(self, argv: Sequence[str | Path]) -> None:
        assert self._server.stdin is not None  # noqa: S101 -- it is a pipe
        self._server.stdin.write(dump_record(Order(tuple(map(str, argv)), self._said)) + b"\n")
        self._server.stdin.flush()

    def _answer(self, timeout: float) -> int | None:
        """The next number that the server says; None if it says none in so many seconds."""
        assert self._server.stdout is not None  # noqa: S101 -- it is a pipe
        return self._number() if select.select([self._server.stdout], [], [], timeout)[0] else None

    def _number(self) -> int:
        assert self._server.stdout is not None  # noqa: S101 -- it is a pipe
        line = self._server.stdout.readline()
        if not line:
            raise RetrievalError("the process that starts programs is gone; what it said is above")
        return int(line)


def environment() -> dict[str, str]:
    """That of this process, for one that loads what it loads."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@contextmanager
def warm(folder: Path, modules: Sequence[str]) -> Iterator[Warm]:
    """Programs that load none of `modules` themselves; what they say goes through a file in `folder`."""
    with subprocess.Popen(  # noqa: S603 -- this very program
        [sys.executable, "-m", "tools.faults.warm_server", *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=environment(),
    ) as server:
        try:
            yield Warm(server, folder)
        finally:
            assert server.stdin is not None  # noqa: S101 -- it is a pipe
            server.stdin.close()
