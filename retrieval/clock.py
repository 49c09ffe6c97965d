"""Wall time, a stopwatch by stage, and the end of work that nobody waits for any more."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic, perf_counter

from retrieval.errors import RetrievalTimeoutError
from retrieval.types import Stage

CALLER_WAITS_UNTIL: ContextVar[float] = ContextVar("until", default=inf)
"""When the caller of the work in this thread waits no longer, on the clock `monotonic`."""


def require_waiting_caller() -> None:
    """Go on with work only while its caller waits for it. Long work calls this between its steps.

    Raises:
        RetrievalTimeoutError: the caller has given up.
    """
    if monotonic() > CALLER_WAITS_UNTIL.get():
        raise RetrievalTimeoutError("nobody waits for this answer any more; ask again")


class Clock:
    """Runs from its making on; read it as often as you like. It says nothing of the time of day."""

    def __init__(self) -> None:
        self._begun = perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the clock was made."""
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
        """What was measured so far."""
        return tuple(self._stages)

    @property
    def milliseconds(self) -> float:
        """Since it was made: what no stage measures is part of it."""
        return self._clock.milliseconds
