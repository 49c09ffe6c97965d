"""Access to a hosted model: server, key, request rate and session."""

import asyncio
import os
import random
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from retrieval.errors import ModelError, ModelKeyError, UnreadableSettingsError
from retrieval.models.chat import Answered, ChatRequest
from retrieval.models.spending import Spending

KEY, ADDRESS = "OPENAI_API_KEY", "OPENAI_BASE_URL"
CONCURRENCY, TOKENS_PER_MINUTE = "QUERYMUST_MODEL_CONCURRENCY", "QUERYMUST_MODEL_TOKENS_PER_MINUTE"
_HIDDEN = "***"
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the request rate."""

    concurrency: int = 8
    """Most concurrent requests."""
    tokens_per_minute: int | None = None
    """Most tokens, sent and possibly answered, in any 60 seconds; None: as fast as the server allows."""


@dataclass(frozen=True, slots=True)
class Access:
    """A key and an address. Its text and its errors never contain the key."""

    key: str = field(default="", repr=False)
    address: str | None = None
    """Address of a server other than OpenAI's, such as `http://127.0.0.1:11434/v1`."""
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "Access":
        """Return the access and limits in the environment: `OPENAI_API_KEY`, `OPENAI_BASE_URL` for another server.

        Raises:
            UnreadableSettingsError: a limit is not a whole number above 0.
        """
        usual = Limits()
        most = _whole(environment, CONCURRENCY) or usual.concurrency
        limits = Limits(most, _whole(environment, TOKENS_PER_MINUTE))
        return cls(environment.get(KEY, "").strip(), environment.get(ADDRESS) or None, limits)

    def __bool__(self) -> bool:
        """Whether there is a key. A server without keys accepts any word."""
        return bool(self.key)

    @property
    def server(self) -> str:
        """Host of the server, with its port if the address has one."""
        parts = urlsplit(self.address or _OPENAI)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def require(self, who: str, otherwise: str) -> None:
        """Check that there is a key that can be sent.

        Args:
            who: the name of the part that needs the key, for the message.
            otherwise: advice for working without a key.

        Raises:
            ModelKeyError: there is no key, or it has a character that is not allowed in a header.
        """
        if not self.key:
            raise ModelKeyError(f"{who} needs {KEY}; set it, or {otherwise}", reason=f"no {KEY}")
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise ModelKeyError(
                f"{KEY} has a character that no key can have; copy it again", reason=f"unreadable {KEY}"
            )

    def hidden(self, text: str) -> str:
        """Return a text with the key masked, because some servers repeat it in errors."""
        return text.replace(self.key, _HIDDEN) if self.key else text


def _whole(environment: Mapping[str, str], name: str) -> int | None:
    written = environment.get(name)
    if not written:
        return None
    if not written.isdecimal() or int(written) < 1:
        raise UnreadableSettingsError(f"{name} is {written!r}; write a whole number above 0")
    return int(written)


MINUTE = 60.0
"""Seconds."""


class Pace:
    """Limits the rate of requests; any number of threads or tasks may share one.

    Args:
        tokens_per_minute: the limit; None: requests do not wait.
        clock: monotonic time in seconds.
    """

    def __init__(self, tokens_per_minute: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = tokens_per_minute, clock
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def wait_for(self, tokens: int) -> float:
        """Return the seconds until a request of so many tokens may be sent, and count it as sent then.

        Requests are sent in the order of the calls. One that exceeds the limit of a minute is sent alone.
        """
        if self._most is None:
            return 0.0
        with self._lock:
            now = self._clock()
            while self._sent and self._sent[0][0] <= now - MINUTE:
                self._sent.popleft()
            start = max(now, self._sent[-1][0]) if self._sent else now
            window = deque(sending for sending in self._sent if sending[0] > start - MINUTE)
            under_way = sum(count for _, count in window)
            while window and under_way + tokens > self._most:
                at, count = window.popleft()
                under_way -= count
                start = max(start, at + MINUTE)
            self._sent.append((start, tokens))
            return start - now


_FIRST_PAUSE, _LONGEST_PAUSE, _LONGEST_AFTER = 0.5, 8.0, 120.0
"""Seconds."""


class ChatSession:
    """Requests of one event loop, within the limits of concurrency. Created by `OpenAiClient.session`.

    Args:
        send: sends one attempt.
        raised: the errors that it raises.
        failure: converts them to a `ModelError`.
        spending: reserves the possible cost of each attempt. One that is neither settled nor released counts as spent.
        pace: limits the rate of attempts.
        retries: how often a request that failed for a temporary reason is sent again.
        concurrency: most concurrent requests.
    """

    def __init__(
        self,
        send: Callable[[ChatRequest], Awaitable[Answered]],
        raised: tuple[type[Exception], ...],
        failure: Callable[[str, Exception], ModelError],
        spending: Spending,
        pace: Pace,
        retries: int,
        concurrency: int,
    ) -> None:
        self._send, self._raised, self._failure = send, raised, failure
        self._spending, self._pace, self._retries = spending, pace, retries
        self._free = asyncio.Semaphore(concurrency)

    async def chat(self, request: ChatRequest) -> Answered:
        """Return a complete answer, retrying after temporary failures with growing pauses or after `retry-after`.

        Raises:
            ModelError: the server cannot be reached, refuses, or does not send a chat answer.
            BudgetExceededError: the next attempt may cost more than is left.
        """
        async with self._free:
            for attempt in range(self._retries + 1):
                charge = self._spending.reserve(request)  # first: what the budget refuses need not wait
                try:
                    await asyncio.sleep(self._pace.wait_for(request.likely_tokens))
                except BaseException:
                    charge.release()
                    raise
                try:
                    answered = await self._send(request)
                except self._raised as error:
                    failed, pause = self._failure(request.model, error), _pause(attempt, error)
                    if _is_free(error):
                        charge.release()
                else:
                    charge.settle(answered)
                    return answered
                if not failed.passing or pause is None or attempt == self._retries:
                    break
                await asyncio.sleep(pause)
        raise failed


def _is_free(error: Exception) -> bool:
    """Whether the attempt cost nothing, because the server refused it or was not reached."""
    return hasattr(error, "status_code") or type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")


def _pause(attempt: int, error: Exception) -> float | None:
    """Return the seconds before the next attempt; None if the server demands too long a wait."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            after = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return after if 0 <= after <= _LONGEST_AFTER else None
    grown: float = _FIRST_PAUSE * 2**attempt
    return min(grown, _LONGEST_PAUSE) * random.uniform(0.75, 1.0)
