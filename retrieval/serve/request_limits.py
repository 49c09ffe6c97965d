"""Limits on the bytes, the seconds and the number of requests. The limit of a question is in `schema.py`."""

from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one server."""

    requests_per_minute: int = 600
    """For one key, or for one address if no key is needed; each process counts separately."""
    body_bytes: int = 64 * 1024
    ingest_bytes: int = 20 * 1024 * 1024
    """Size of one batch of documents."""
    seconds: float = 10.0
    """Seconds after which a search is cancelled, including that of an answer."""


class RateLimit:
    """Counts requests in a sliding minute.

    Args:
        per_minute: the most requests of one client.
    """

    def __init__(self, per_minute: int) -> None:
        self._item = RateLimitItemPerMinute(per_minute)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    def allows(self, client: str) -> bool:
        """Whether a client may send one more request; it is counted."""
        return self._window.hit(self._item, client)

    def seconds_to_wait(self, client: str) -> int:
        """Return the seconds until it may send again, at least 1."""
        import time

        return max(1, round(self._window.get_window_stats(self._item, client).reset_time - time.time()))
