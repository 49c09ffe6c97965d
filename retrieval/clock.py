"""Wall time, a stopwatch by stage, and a check that a caller still waits for the result."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic, perf_counter

from retrieval.errors import RetrievalTimeoutError
from retrieval.types import Stage

CALLER_WAITS_UNTIL: ContextVar[float] = ContextVar("until", default=inf)
"""When the caller of the work in this thread stops waiting, on the clock `monotonic`."""


def require_waiting_caller() -> None:
    """Continue only while the caller waits for the result. Long work calls this between its steps.

    Raises:
        RetrievalTimeoutError: the caller has given up.
    """
    if monotonic() > CALLER_WAITS_UNTIL.get():
        raise RetrievalTimeoutError("the caller no longer waits for this answer; ask again")


class Clock:
    """Measures time from its creation; it can be read any number of times. It is not the time of day."""

    def __init__(self) -> None:
        self._begun = perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the clock was created."""
        return perf_counter() - self._begun

    @property
    def milliseconds(self) -> float:
        """The same in milliseconds."""
        return self.seconds * 1000


class Stopwatch:
    """Collects the named stages of one retrieval in the order in which they end."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self._clock = Clock()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the block, if its caller still waits for it. Raises RetrievalTimeoutError."""
        require_waiting_caller()
        clock = Clock()
        try:
            yield
        finally:
            self._stages.append(Stage(name, clock.milliseconds))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages measured so far."""
        return tuple(self._stages)

    @property
    def milliseconds(self) -> float:
        """Time since it was created, including time outside of stages."""
        return self._clock.milliseconds
