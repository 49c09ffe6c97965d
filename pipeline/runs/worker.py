"""The process in which a build is done. It ends as soon as nobody waits for it any more.

Its standard input is the order, and then stays open as long as somebody waits; its standard output are messages, a line
each. Everything that is not a message goes to standard error.
"""

import atexit
import gc
import os
import signal
import sys
import threading
import traceback
from dataclasses import dataclass

import dagster as dg

from pipeline.runs.apart import Message, Order
from pipeline.runs.build import build
from pipeline.runs.in_process import cancel_unfinished
from pipeline.runs.outcomes import full_disk_sentence
from retrieval.errors import RetrievalError
from retrieval.files.records import dump_record, parse_record

INTERRUPTED = 130
_SELDOM = (100_000, 50, 100)
"""Objects between two looks for what nobody holds any more. A build holds a million records, and each look at all of
them finds next to nothing: a tenth of its time."""


@dataclass(slots=True)
class Worker:
    """One build, and whom it tells about it."""

    messages: int
    """Descriptor that the messages go to."""
    history: dg.DagsterInstance | None = None
    """None as long as no run has begun."""

    def work(self, order: Order) -> None:
        """Build, and say what became of it."""
        try:
            done = build(
                order.home, lambda step: self.say(Message(step=step)), self.remember, order.force, order.accept
            )
            last = Message(build=done)
        except RetrievalError as error:
            last = Message(error=str(error))
        except FileNotFoundError as error:
            last = Message(error=f"no such file: {error.filename}")
        except Exception as error:
            full = full_disk_sentence(order.home.root, "".join(traceback.format_exception(error)))
            if full is None:
                raise
            last = Message(error=full)
        self.say(last)

    def remember(self, history: dg.DagsterInstance) -> None:
        """Keep where an interrupted run has to be marked as one."""
        self.history = history

    def say(self, message: Message) -> None:
        """Write a message; where nobody listens any more, wait for the end."""
        line = dump_record(message) + b"\n"
        try:
            while line:
                line = line[os.write(self.messages, line) :]
        except BrokenPipeError:
            threading.Event().wait()

    def end_with_whoever_waits(self) -> None:
        """Wait until standard input is closed, and end this process.

        In a thread: the main one may be in a library that looks at no signal, so it is not asked.
        """
        os.read(0, 1)
        try:
            if self.history is not None:
                cancel_unfinished(self.history)
        finally:
            if os.getpgrp() == os.getpid():  # the processes that it started would index on for nobody
                os.killpg(0, signal.SIGKILL)
            os._exit(INTERRUPTED)


def main() -> None:
    """Build what standard input orders."""
    gc.set_threshold(*_SELDOM)
    worker = Worker(os.dup(1))
    os.dup2(2, 1)
    with open(0, "rb", buffering=0, closefd=False) as lines:
        order = parse_record(lines.readline(), Order)
    threading.Thread(target=worker.end_with_whoever_waits, daemon=True).start()
    worker.work(order)
    # All is written and closed. Python would take down a million records one by one first.
    atexit._run_exitfuncs()  # of multiprocessing, which else is told of semaphores that nobody gave back
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
