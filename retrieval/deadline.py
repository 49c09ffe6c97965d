"""Deadlines: work runs in its own thread, its caller stops waiting in time, and threads take turns on the processor."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import TypeVar

from retrieval.errors import RetrievalTimeoutError

Result = TypeVar("Result")

_CALLER_WAITS_UNTIL: ContextVar[float] = ContextVar("until", default=inf)
"""When the caller of the work in this thread stops waiting, on the clock `monotonic`."""


def require_waiting_caller() -> None:
    """Continue only while the caller waits for the result. Long work calls this between its steps.

    Raises:
        RetrievalTimeoutError: the caller has given up.
    """
    if monotonic() > _CALLER_WAITS_UNTIL.get():
        raise RetrievalTimeoutError("the caller no longer waits for this answer; ask again")


class _Turn:
    """The turn of one thread at a processor that others are waiting for.

    Args:
        free: is acquired while it is this thread's turn.
        patience: seconds to wait for the turn; then the thread works beside the others.
    """

    def __init__(self, free: BoundedSemaphore, patience: float) -> None:
        self._free, self._patience = free, patience
        self._guard, self._has_it = threading.Lock(), False

    def take(self) -> None:
        """Wait for the turn."""
        has_it = self._free.acquire(timeout=self._patience)
        with self._guard:
            self._has_it = has_it

    def pass_on(self) -> None:
        """Let the next one work. Any thread may call this, and more than once."""
        with self._guard:
            had_it, self._has_it = self._has_it, False
        if had_it:
            self._free.release()


_TURN: ContextVar[_Turn | None] = ContextVar("turn", default=None)


@contextmanager
def waiting_for_server() -> Iterator[None]:
    """Let other questions be processed during the block, in which this thread only waits for another machine."""
    turn = _TURN.get()
    if turn is None:
        yield
        return
    turn.pass_on()
    try:
        yield
    finally:
        turn.take()


AT_ONCE = 32
"""The maximum number of questions that are processed at a time; the others wait, and their waiting time counts."""


class Deadline:
    """Runs work in its own thread, and stops waiting for it at a deadline.

    The work ends at its next `require_waiting_caller`. A thread cannot be stopped: work that hangs continues to hang,
    without preventing the program from ending. At most `AT_ONCE` threads run at a time, and one of them calculates
    while the others wait for its turn or for a server: threads of Python that calculate side by side are half as fast
    as one after the other, since they hand the interpreter to each other all the time.

    Args:
        seconds: how long a caller waits. A thread waits half as long for its turn.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._places = BoundedSemaphore(AT_ONCE)
        self._processor = BoundedSemaphore(1)

    def run(self, work: Callable[[], Result]) -> Result:
        """Run the work, and return or raise what it returns or raises.

        Raises:
            RetrievalTimeoutError: it was not done in time, or no thread was free for it.
        """
        until = monotonic() + self.seconds
        if not self._places.acquire(timeout=self.seconds):
            raise self._too_late(f"{AT_ONCE} questions before it are still being processed")
        done: Future[Result] = Future()
        turn = _Turn(self._processor, self.seconds / 2)
        Thread(target=self._do, args=(work, done, until, turn), daemon=True, name="querymust-answer").start()
        try:
            return done.result(timeout=max(0.0, until - monotonic()))
        except FutureTimeoutError as error:
            turn.pass_on()
            if done.done() and monotonic() < until:
                raise  # raised by the work itself
            raise self._too_late("the index or the embedder is slow, or does not respond") from error

    def _do(self, work: Callable[[], Result], done: "Future[Result]", until: float, turn: _Turn) -> None:
        _CALLER_WAITS_UNTIL.set(until)
        _TURN.set(turn)
        turn.take()
        try:
            require_waiting_caller()
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)
        finally:
            turn.pass_on()
            self._places.release()

    def _too_late(self, why: str) -> RetrievalTimeoutError:
        return RetrievalTimeoutError(f"no answer within {self.seconds:g} seconds: {why}; ask again")
