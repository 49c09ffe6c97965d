"""Values that are kept for a while: a cache with a time to live, the only user of cachetools, and a bounded memory."""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from cachetools import TTLCache

Key = TypeVar("Key")
Value = TypeVar("Value")

MOST = 1024
"""Values that are kept; of more the ones that nobody asked for longest go."""


class TimedCache(Generic[Key, Value]):
    """Keeps values for a while; any number of threads may use it.

    Args:
        seconds: how long a value is kept; 0 keeps none.
        timer: the time, in seconds from whenever.
        most: how many are kept.
    """

    def __init__(self, seconds: float, timer: Callable[[], float] = monotonic, most: int = MOST) -> None:
        self._kept: TTLCache[Key, Value] = TTLCache(most, seconds, timer)
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """The value, None if there is none any more."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> Value:
        """Keep a value, and give the one that is kept: of two threads that make it at once both get the first."""
        with self._lock:
            return self._kept.setdefault(key, value)

    def __len__(self) -> int:
        with self._lock:
            self._kept.expire()
            return len(self._kept)


def remember(memory: dict[Key, Value], key: Key, value: Value, most: int) -> Value:
    """Keep a value that is made again if it is gone; all are forgotten once there are too many.

    Another thread may forget it at once, so whoever wants the value uses what comes back.
    """
    if len(memory) >= most:
        memory.clear()
    memory[key] = value
    return value
