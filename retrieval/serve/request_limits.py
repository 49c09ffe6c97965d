"""How much a client may send, and how often."""

from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one server."""

    requests_per_minute: int = 600
    """Of one key, or of one address where no key is asked for; counted by each process for itself."""
    body_bytes: int = 64 * 1024
    ingest_bytes: int = 20 * 1024 * 1024
    """Of one batch of documents."""
    seconds: float = 10.0
    """Until a search is given up, that of an answer included."""


class RateLimit:
    """Counts requests in sliding minutes.

    Args:
        per_minute: how many a client may send.
    """

    def __init__(self, per_minute: int) -> None:
        self._item = RateLimitItemPerMinute(per_minute)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    def allows(self, client: str) -> bool:
        """Whether a client may send one more; it is counted."""
        return self._window.hit(self._item, client)

    def seconds_to_wait(self, client: str) -> int:
        """Until it may send again, at least 1."""
        import time

        return max(1, round(self._window.get_window_stats(self._item, client).reset_time - time.time()))
