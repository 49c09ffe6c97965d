"""How fast a server is asked: never more tokens in any minute than it was said to allow."""

import threading
import time
from collections import deque
from collections.abc import Callable

MINUTE = 60.0
"""Seconds."""


class Pace:
    """Says how long a request has to wait; any number of threads or tasks may share one.

    Args:
        tokens_per_minute: None: nothing waits.
        clock: seconds that only go forward.
    """

    def __init__(self, tokens_per_minute: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = tokens_per_minute, clock
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def wait_for(self, tokens: int) -> float:
        """Seconds until a request of so many tokens may be sent; it is counted as sent then.

        Requests go in the order in which they ask. One that is larger than a whole minute's share goes alone.
        """
        if self._most is None:
            return 0.0
        with self._lock:
            now = self._clock()
            while self._sent and self._sent[0][0] <= now - MINUTE:
                self._sent.popleft()
            start = max(now, self._sent[-1][0]) if self._sent else now
            window = deque(each for each in self._sent if each[0] > start - MINUTE)
            under_way = sum(count for _, count in window)
            while window and under_way + tokens > self._most:
                at, count = window.popleft()
                under_way -= count
                start = max(start, at + MINUTE)
            self._sent.append((start, tokens))
            return start - now
