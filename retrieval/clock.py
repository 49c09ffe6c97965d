"""Wall time, for receipts, experiments and benchmarks alike."""

from time import perf_counter


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
