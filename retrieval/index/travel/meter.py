"""How far a transfer is, in bytes."""

import threading
from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the file that is on its way, the bytes that are over, and those that there are."""


Tell = Callable[[int], None]
"""Called with how many bytes more went over."""


class Meter:
    """Counts bytes and says so. Any number of threads may share one.

    Args:
        progress: who is told.
        total: bytes that there are.
    """

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self._telling = threading.Lock()

    def of(self, path: str) -> Tell:
        """What to call with the bytes of one file that went over."""

        def tell(more: int) -> None:
            with self._telling:
                self._done += more
                self._progress(path, self._done, self._total)

        return tell


def silent(_more: int) -> None:
    """A second try is no progress."""
