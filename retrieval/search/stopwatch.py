"""Milliseconds by stage, for the receipt."""

from collections.abc import Iterator
from contextlib import contextmanager

from retrieval.clock import Clock
from retrieval.types import Stage


class Stopwatch:
    """Collects the named stages of one retrieval in the order in which they end."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self._clock = Clock()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the block."""
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
