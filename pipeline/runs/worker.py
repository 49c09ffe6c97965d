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
"""Thresholds of the garbage collector. A build holds a million records, and full collections, which free next to
nothing, would take a tenth of its time."""


@dataclass(slots=True)
class Worker:
    """One build, and the receiver of its messages."""

    messages: int
    """File descriptor for the messages."""
    history: dg.DagsterInstance | None = None
    """The run history; None until the first run begins."""

    def work(self, order: Order) -> None:
        """Build, and send the result."""
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
        """Keep the run history, in which an interrupted run has to be marked as canceled."""
        self.history = history

    def say(self, message: Message) -> None:
        """Write a message; if nobody reads any more, wait to be ended."""
        line = dump_record(message) + b"\n"
        try:
            while line:
                line = line[os.write(self.messages, line) :]
        except BrokenPipeError:
            threading.Event().wait()

    def end_with_whoever_waits(self) -> None:
        """Wait until standard input is closed, and end this process.

        It runs in a thread of its own, because the main one may be in a library that does not handle signals.
        """
        os.read(0, 1)
        try:
            if self.history is not None:
                cancel_unfinished(self.history)
        finally:
            if os.getpgrp() == os.getpid():  # the processes that it started would continue to index for nobody
                os.killpg(0, signal.SIGKILL)
            os._exit(INTERRUPTED)


def main() -> None:
    """Carry out the order on standard input."""
    gc.set_threshold(*_SELDOM)
    worker = Worker(os.dup(1))
    os.dup2(2, 1)
    with open(0, "rb", buffering=0, closefd=False) as lines:
        order = parse_record(lines.readline(), Order)
    threading.Thread(target=worker.end_with_whoever_waits, daemon=True).start()
    worker.work(order)
    # All is written and closed. A normal exit would first free a million records one by one.
    atexit._run_exitfuncs()  # of multiprocessing, which would otherwise warn of leaked semaphores
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
