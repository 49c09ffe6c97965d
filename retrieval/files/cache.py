"""Caches: one with a time to live, the only user of cachetools, and bounded dictionaries."""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from cachetools import TTLCache

Key = TypeVar("Key")
Value = TypeVar("Value")

MOST = 1024
"""Most values in a cache; beyond that, the least recently used are removed."""


class TimedCache(Generic[Key, Value]):
    """A cache with a time to live; any number of threads may use it.

    Args:
        seconds: how long a value is kept; 0 keeps none.
        timer: returns the time in seconds.
    """

    def __init__(self, seconds: float, timer: Callable[[], float] = monotonic) -> None:
        self._kept: TTLCache[Key, Value] = TTLCache(MOST, seconds, timer)
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value, or None if there is none or it has expired."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> Value:
        """Store a value and return the stored one; if two threads compute it at once, both get the first."""
        with self._lock:
            return self._kept.setdefault(key, value)

    def __len__(self) -> int:
        with self._lock:
            self._kept.expire()
            return len(self._kept)


def remember(memory: dict[Key, Value], key: Key, value: Value, most: int) -> Value:
    """Store a value in a bounded dictionary, which is cleared when it is full, and return the value.

    Another thread may clear it at any time, so callers must use the returned value.
    """
    if len(memory) >= most:
        memory.clear()
    memory[key] = value
    return value
