"""What can go wrong with a request, and plans of when it does."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

Fault = Literal[
    "key",  # 401
    "busy",  # 429 with retry-after
    "broken",  # 500
    "hang",  # no answer until the client has gone
    "stall",  # the same, before the server has begun: nothing is charged
    "cut",  # the connection ends in the middle of the answer
    "malformed",  # the answer is not JSON, or its content is not
    "refusal",
    "truncated",  # finish_reason "length"
    "dropped_row",  # of an answer about a table
    "changed_value",
    "dropped_result",  # of a batch: a line is missing
]
FAULTS: tuple[Fault, ...] = get_args(Fault)
UNPAID: frozenset[Fault | None] = frozenset({"key", "busy", "broken", "stall"})
"""What no server asks money for."""

Plan = Callable[[Mapping[str, Any]], Fault | None]


def well(_: Mapping[str, Any]) -> Fault | None:
    """Nothing goes wrong."""
    return None


class InTurn:
    """These faults for the first requests, one each; then everything goes well."""

    def __init__(self, faults: Iterable[Fault | None]) -> None:
        self._left = list(faults)
        self._lock = threading.Lock()

    def __call__(self, _: Mapping[str, Any]) -> Fault | None:
        with self._lock:
            return self._left.pop(0) if self._left else None


class AtRandom:
    """A share of the requests goes wrong. What happens to a request depends on its text and how often it came before,
    so that a plan does not depend on the order in which threads send."""

    def __init__(self, seed: int, rate: float, faults: Iterable[Fault]) -> None:
        self._seed, self._rate, self._faults = seed, rate, list(faults)
        self._seen: dict[str, int] = {}
        self._lock = threading.Lock()
        self.happened: list[Fault] = []

    def __call__(self, body: Mapping[str, Any]) -> Fault | None:
        output = repr(sorted(body.items()))
        with self._lock:
            self._seen[output] = self._seen.get(output, 0) + 1
            chance = random.Random(f"{self._seed} {self._seen[output]} {output}")
            if chance.random() >= self._rate:
                return None
            fault = chance.choice(self._faults)
            self.happened.append(fault)
            return fault
