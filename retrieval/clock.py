"""Wall time, and a stopwatch by stage."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from retrieval.deadline import require_waiting_caller
from retrieval.types import Stage


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
