"""Many requests at once, each attempt of which may cost money and is set aside before it is sent."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from retrieval.errors import ModelError
from retrieval.models.chat import Answered, Asked
from retrieval.models.pace import Pace

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

    def reserve(self, asked: Asked) -> Charge:
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
        send: Callable[[Asked], Awaitable[Answered]],
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

    async def chat(self, asked: Asked) -> Answered:
        """A whole answer; sent again after failures that pass, with growing pauses or when `retry-after` says.

        Raises:
            ModelError: the server cannot be reached, refuses, or sends no answer of chat.
            BudgetExceededError: the next attempt may cost more than is left.
        """
        async with self._free:
            for attempt in range(self._retries + 1):
                await asyncio.sleep(self._pace.wait_for(asked.likely_tokens))
                charge = self._meter.reserve(asked)
                try:
                    answered = await self._send(asked)
                except self._raised as error:
                    failed, pause = self._failure(asked.model, error), _pause(attempt, error)
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
