"""Work that may take so long and no longer."""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from threading import BoundedSemaphore, Thread
from typing import TypeVar

from retrieval.clock import Clock
from retrieval.errors import RetrievalTimeoutError

AT_ONCE = 32
"""Questions that are worked on at a time; more of them wait, and their time runs."""

Result = TypeVar("Result")


class Deadline:
    """Lets work go on in a thread of its own, and gives up waiting for it in time.

    Nobody can stop a thread: what hangs goes on hanging, without keeping the program from ending. `AT_ONCE` of them are
    the most that there can be.

    Args:
        seconds: how long a caller waits.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._places = BoundedSemaphore(AT_ONCE)

    def run(self, work: Callable[[], Result]) -> Result:
        """What the work returns or raises.

        Raises:
            RetrievalTimeoutError: it was not done in time, or there was no place for it.
        """
        clock = Clock()
        if not self._places.acquire(timeout=self.seconds):
            raise self._too_late(f"{AT_ONCE} questions before it are still worked on")
        done: Future[Result] = Future()
        Thread(target=self._do, args=(work, done), daemon=True, name="querymust-answer").start()
        try:
            return done.result(timeout=max(0.0, self.seconds - clock.seconds))
        except FutureTimeoutError as error:
            if done.done():
                raise  # the work's own
            raise self._too_late("the index or the embedder is slow, or does not answer") from error

    def _do(self, work: Callable[[], Result], done: "Future[Result]") -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)
        finally:
            self._places.release()

    def _too_late(self, why: str) -> RetrievalTimeoutError:
        return RetrievalTimeoutError(f"no answer within {self.seconds:g} seconds: {why}; ask again")
