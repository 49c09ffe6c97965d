"""Access to a hosted model: server, key, request rate and session."""

import asyncio
import os
import random
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from retrieval.errors import ModelError, ModelKeyError, UnreadableSettingsError
from retrieval.models.chat import Answered, ChatRequest

KEY, ADDRESS = "OPENAI_API_KEY", "OPENAI_BASE_URL"
CONCURRENCY, TOKENS_PER_MINUTE = "QUERYMUST_MODEL_CONCURRENCY", "QUERYMUST_MODEL_TOKENS_PER_MINUTE"
_HIDDEN = "***"
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is asked at once."""

    concurrency: int = 8
    """Requests under way at one time."""
    tokens_per_minute: int | None = None
    """What is sent and may be answered in any 60 seconds; None: as fast as the server lets us."""


@dataclass(frozen=True, slots=True)
class Access:
    """A key and an address. It is no secret that it is there: its text and its errors never hold the key."""

    key: str = field(default="", repr=False)
    address: str | None = None
    """Of another server than OpenAI's, as `http://127.0.0.1:11434/v1`."""
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "Access":
        """`OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another server; how much is asked at once.

        Raises:
            UnreadableSettingsError: a limit is not a whole number above 0.
        """
        usual = Limits()
        most = _whole(environment, CONCURRENCY) or usual.concurrency
        limits = Limits(most, _whole(environment, TOKENS_PER_MINUTE))
        return cls(environment.get(KEY, "").strip(), environment.get(ADDRESS) or None, limits)

    def __bool__(self) -> bool:
        """Whether there is a key. A server that asks for none takes any word."""
        return bool(self.key)

    @property
    def server(self) -> str:
        """Host of the server, with its port where the address names one."""
        parts = urlsplit(self.address or _OPENAI)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def require(self, who: str, otherwise: str) -> None:
        """See that there is a key that can be sent.

        Args:
            who: needs it.
            otherwise: what to do without one.

        Raises:
            ModelKeyError: there is none, or it has a character that no header can have.
        """
        if not self.key:
            raise ModelKeyError(f"{who} needs {KEY}; set it, or {otherwise}", reason=f"no {KEY}")
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise ModelKeyError(f"{KEY} has a character that no key has; copy it again", reason=f"unreadable {KEY}")

    def hidden(self, text: str) -> str:
        """A text without the key; some servers repeat it in what they refuse."""
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


class Charge(Protocol):
    """What one attempt may cost, set aside before it is sent."""

    def settle(self, answered: Answered) -> None:
        """It was answered; the server says what was used."""

    def release(self) -> None:
        """It cost nothing."""


class Meter(Protocol):
    """Sets aside what attempts may cost. A charge that is neither settled nor released counts as spent."""

    def reserve(self, request: ChatRequest) -> Charge:
        """Called before each attempt.

        Raises:
            BudgetExceededError: it may cost more than is left.
        """


class ChatSession:
    """Requests of one event loop, no more of them at once than the limits allow. Made by `OpenAiClient.session`.

    Args:
        send: sends one attempt.
        raised: what it raises when it fails.
        failure: what that means.
        meter: sets aside what each attempt may cost.
        pace: holds attempts back.
        retries: how often a request that failed for a passing reason is sent again.
        concurrency: requests under way at one time.
    """

    def __init__(
        self,
        send: Callable[[ChatRequest], Awaitable[Answered]],
        raised: tuple[type[Exception], ...],
        failure: Callable[[str, Exception], ModelError],
        meter: Meter,
        pace: Pace,
        retries: int,
        concurrency: int,
    ) -> None:
        self._send, self._raised, self._failure = send, raised, failure
        self._meter, self._pace, self._retries = meter, pace, retries
        self._free = asyncio.Semaphore(concurrency)

    async def chat(self, request: ChatRequest) -> Answered:
        """A whole answer; sent again after failures that pass, with growing pauses or when `retry-after` says.

        Raises:
            ModelError: the server cannot be reached, refuses, or sends no answer of chat.
            BudgetExceededError: the next attempt may cost more than is left.
        """
        async with self._free:
            for attempt in range(self._retries + 1):
                await asyncio.sleep(self._pace.wait_for(request.likely_tokens))
                charge = self._meter.reserve(request)
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
    """Whether the server answered nothing that it could charge for: it said no, or it was never reached."""
    return hasattr(error, "status_code") or type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")


def _pause(attempt: int, error: Exception) -> float | None:
    """Seconds before the next attempt; None where the server wants us to wait longer than anybody would."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            after = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return after if 0 <= after <= _LONGEST_AFTER else None
    grown: float = _FIRST_PAUSE * 2**attempt
    return min(grown, _LONGEST_PAUSE) * random.uniform(0.75, 1.0)
