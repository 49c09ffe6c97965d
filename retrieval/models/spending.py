"""Prices, estimates and the money spent on chat models; a budget holds across runs."""

import json
import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from secrets import token_hex

from retrieval.errors import BudgetExceededError
from retrieval.models.chat import RETRIES, Answered, ChatRequest, Usage

_FILE = "chat_prices.toml"


@dataclass(frozen=True, slots=True)
class ChatPrice:
    """US dollars for a million tokens. Key: model."""

    model: str
    sent: float
    answered: float
    as_of: date | None = None
    """When somebody looked; None: the owner of the home says so."""

    @property
    def in_batch(self) -> "ChatPrice":
        """Half of it."""
        return replace(self, sent=self.sent / 2, answered=self.answered / 2)

    def of(self, usage: Usage) -> float:
        """US dollars."""
        return (usage.prompt * self.sent + usage.completion * self.answered) / 1_000_000


def chat_price(model: str) -> ChatPrice | None:
    """What OpenAI asks for a model; None if that is not known here. A dated name (`gpt-4o-2024-08-06`) is its model.

    Another server behind the same protocol has other prices.
    """
    prices = _table()
    return prices.get(model) or prices.get(model[: -len("-2024-08-06")])


@cache
def _table() -> dict[str, ChatPrice]:
    stored = tomllib.loads(files(__package__).joinpath(_FILE).read_text("utf-8"))
    return {
        model: ChatPrice(model, usd["sent"], usd["answered"], stored["as_of"])
        for model, usd in stored["usd_per_million_tokens"].items()
    }


SPENDING_FILE = "spent.jsonl"


class Ledger:
    """A file with a line for each sum that was set aside, and one for what became of it. One process writes it.

    A sum of a run that was killed before it was settled counts whole: nobody knows what the server charged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPENDING_FILE
        self._sums: dict[str, float] = {}
        self._read()

    @property
    def usd(self) -> float:
        """Everything that was spent or is set aside."""
        return sum(self._sums.values())

    def write(self, entry: str, usd: float) -> None:
        """Say what an entry is now; written before anything is sent or believed."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # The line end comes first: what a kill cut short does not swallow the line behind it.
        line = b"\n" + json.dumps({"entry": entry, "usd": usd}).encode()
        to = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(to, line)
        finally:
            os.close(to)
        self._sums[entry] = usd

    def _read(self) -> None:
        if not self._path.is_file():
            return
        for line in self._path.read_bytes().splitlines():
            try:
                entry = json.loads(line)
                self._sums[str(entry["entry"])] = float(entry["usd"])
            except (ValueError, KeyError, TypeError):
                continue  # a line that a kill cut short: what it would have set aside was not sent


@dataclass(slots=True)
class Spending:
    """Dollars and tokens of one run, within a budget for all that the ledger knows of.

    Args:
        price: of the model; None: nobody knows it.
        ledger: of this and all earlier runs.
        budget: dollars that the ledger may reach; None: no limit.
    """

    price: ChatPrice | None
    ledger: Ledger
    budget: float | None = None
    used: Usage = field(default_factory=Usage)
    """Of this run, as the server counted."""
    _own: dict[str, float] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """The same in dollars, with what attempts without an answer may have cost."""
        return sum(self._own.values())

    def reserve(self, request: ChatRequest) -> "Reservation":
        """Set aside what one attempt may cost at most.

        Raises:
            BudgetExceededError: that is more than is left.
        """
        most = self.most(request)
        if self.budget is not None and self.ledger.usd + most > self.budget:
            raise BudgetExceededError(
                f"the next request may cost ${most:.4f}, and ${self.ledger.usd:.4f} of the budget of "
                f"${self.budget:g} are spent or set aside; allow more, or leave the rest to the rules"
            )
        held = Reservation(self, token_hex(8))
        self.becomes(held.entry, most)
        return held

    def becomes(self, entry: str, usd: float) -> None:
        """Say what an entry of this run is now."""
        self.ledger.write(entry, usd)
        self._own[entry] = usd

    def most(self, request: ChatRequest) -> float:
        """US dollars that one attempt can cost at most."""
        return self.price.of(Usage(request.most_prompt_tokens, request.max_tokens)) if self.price else 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A sum that is set aside for one attempt."""

    _spending: Spending
    entry: str

    def settle(self, answered: Answered) -> None:
        """It cost what the server says; where it says nothing, all of it."""
        spending = self._spending
        spending.used += answered.usage
        if answered.usage.total and spending.price:
            spending.becomes(self.entry, spending.price.of(answered.usage))

    def release(self) -> None:
        """It cost nothing."""
        self._spending.becomes(self.entry, 0.0)


@dataclass(frozen=True, slots=True)
class Bill:
    """Of one run."""

    model: str
    prompt: str
    """Version of the prompt."""
    used: Usage
    """Tokens, as the server counted them."""
    usd: float | None
    """With what attempts without an answer may have cost; None: nobody knows the prices."""
    usd_in_all: float
    """What the ledger knows of all runs of the home."""


_SHARE_ANSWERED = 2
"""About so many times fewer tokens come back than were set aside."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Of some requests, each answered once. `str(estimate)` says it in words."""

    n_requests: int
    likely: Usage
    """Three bytes for a token, and half of what is set aside for the answers."""
    most: Usage
    """What is set aside: a byte for a token, and answers as long as they may be."""
    price: ChatPrice | None
    about: str
    """What each request is about, in the plural."""

    @classmethod
    def of(cls, requests: Iterable[ChatRequest], about: str, price: ChatPrice | None) -> "CostEstimate":
        """The cost of some requests."""
        n_requests, likely, most = 0, Usage(), Usage()
        for request in requests:
            n_requests += 1
            sent = request.likely_tokens - request.max_tokens
            likely += Usage(sent, request.max_tokens // _SHARE_ANSWERED)
            most += Usage(request.most_prompt_tokens, request.max_tokens)
        return cls(n_requests, likely, most, price, about)

    @property
    def likely_usd(self) -> float | None:
        """None where nobody knows the prices."""
        return self.price.of(self.likely) if self.price else None

    @property
    def most_usd(self) -> float | None:
        """What a budget must allow so that everything can be asked."""
        return self.price.of(self.most) if self.price else None

    def __str__(self) -> str:
        tokens = f"about {self.likely.prompt:,} tokens, and {self.likely.completion:,} answered"
        told = f"{self.n_requests} {self.about} to send: {tokens}"
        if self.price is None or self.likely_usd is None or self.most_usd is None:
            return f"{told}; nobody here knows the prices of the model"
        as_of = f" (prices of {self.price.as_of})" if self.price.as_of else ""
        return f"{told}; about ${self.likely_usd:.4f}, at most ${self.most_usd:.4f} with {self.price.model}{as_of}"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """One chat model for many requests, and what they may cost."""

    model: str
    price: ChatPrice | None
    """None: nobody knows it."""
    budget_usd: float | None = None
    """Dollars that all that was ever paid for in the folder of answers may cost; None: no limit."""
    tries: int = 2
    """How often something is asked until its answer is of use, in all runs."""
    retries: int = RETRIES
    """How often a request that failed for a passing reason is sent again."""
    timeout: float = 120.0
    """Seconds for one answer."""
    batch: bool = False
    """Whether requests are sent as one batch, which costs half and may take a day."""
    pause: float = 20.0
    """Seconds between two looks at a batch."""
    thinking: int = 0
    """Tokens that the model may use before it answers; they are set aside, and paid, as answered."""

    @property
    def asked_price(self) -> ChatPrice | None:
        """What requests cost as they are sent: alone, or in a batch; None: nobody knows it."""
        return self.price.in_batch if self.price and self.batch else self.price
