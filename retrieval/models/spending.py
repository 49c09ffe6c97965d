"""Prices, estimates and spending of chat models, with a budget across runs."""

import json
import os
import re
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
    """Date of the price; None if it is from the owner's settings."""

    @property
    def in_batch(self) -> "ChatPrice":
        """The price in a batch, which is half."""
        return replace(self, sent=self.sent / 2, answered=self.answered / 2)

    def of(self, usage: Usage) -> float:
        """Return the price of tokens in US dollars."""
        return (usage.prompt * self.sent + usage.completion * self.answered) / 1_000_000


_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")


def chat_price(model: str) -> ChatPrice | None:
    """Return OpenAI's price of a model, or None if unknown. A dated name (`gpt-4o-2024-08-06`) has its model's price.

    Another server with the same protocol has other prices.
    """
    prices = _table()
    return prices.get(model) or prices.get(_DATE.sub("", model))


@cache
def _table() -> dict[str, ChatPrice]:
    stored = tomllib.loads(files(__package__).joinpath(_FILE).read_text("utf-8"))
    return {
        model: ChatPrice(model, usd["sent"], usd["answered"], stored["as_of"])
        for model, usd in stored["usd_per_million_tokens"].items()
    }


SPENDING_FILE = "spent.jsonl"


class Ledger:
    """A file with a line for each reserved sum, and one for its final amount. Only one process may write it.

    An unsettled sum of a killed run counts in full, because it is unknown what the server charged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPENDING_FILE
        self._sums: dict[str, float] = {}
        self._read()

    @property
    def usd(self) -> float:
        """Total of what is spent or reserved."""
        return sum(self._sums.values())

    def write(self, entry: str, usd: float) -> None:
        """Record the current sum of an entry, before a request is sent or an answer is used."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # The line end comes first, so that an incomplete line of a killed process does not merge with the next.
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
                continue  # an incomplete line of a killed process, whose request was not sent


@dataclass(slots=True)
class Spending:
    """Dollars and tokens of one run, within a budget for everything in the ledger.

    Args:
        price: of the model; None if unknown.
        ledger: of this and all earlier runs.
        budget: limit of the ledger's total in dollars; None: no limit.
    """

    price: ChatPrice | None
    ledger: Ledger
    budget: float | None = None
    used: Usage = field(default_factory=Usage)
    """Tokens of this run, as the server counted them."""
    _own: dict[str, float] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """Dollars of this run, including the possible cost of attempts without an answer."""
        return sum(self._own.values())

    def reserve(self, request: ChatRequest) -> "Reservation":
        """Reserve the largest possible cost of one attempt.

        Raises:
            BudgetExceededError: that is more than is left of the budget.
        """
        most = self.most(request)
        if self.budget is not None and self.ledger.usd + most > self.budget:
            raise BudgetExceededError(
                f"the next request may cost ${most:.4f}, and ${self.ledger.usd:.4f} of the budget of "
                f"${self.budget:g} are spent or reserved; allow more, or leave the rest to the rules"
            )
        held = Reservation(self, token_hex(8))
        self.becomes(held.entry, most)
        return held

    def becomes(self, entry: str, usd: float) -> None:
        """Record the current sum of an entry of this run."""
        self.ledger.write(entry, usd)
        self._own[entry] = usd

    def most(self, request: ChatRequest) -> float:
        """Return the largest possible cost of one attempt in US dollars."""
        return self.price.of(Usage(request.most_prompt_tokens, request.max_tokens)) if self.price else 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A sum that is reserved for one attempt."""

    _spending: Spending
    entry: str

    def settle(self, answered: Answered) -> None:
        """Record the cost by the usage that the server reports; without a report, the full sum remains."""
        spending = self._spending
        spending.used += answered.usage
        if answered.usage.total and spending.price:
            spending.becomes(self.entry, spending.price.of(answered.usage))

    def release(self) -> None:
        """Record that it cost nothing."""
        self._spending.becomes(self.entry, 0.0)


@dataclass(frozen=True, slots=True)
class Bill:
    """The tokens and dollars of one run."""

    model: str
    prompt: str
    """Version of the prompt."""
    used: Usage
    """Tokens, as the server counted them."""
    usd: float | None
    """Including the possible cost of attempts without an answer; None if the prices are unknown."""
    usd_in_all: float
    """Total of all runs of the home in the ledger."""


_SHARE_ANSWERED = 2
"""Approximate ratio of the reserved tokens of answers to their actual number."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of requests that are each answered once. `str(estimate)` describes it in words."""

    n_requests: int
    likely: Usage
    """Three bytes for each token, and half of what is reserved for the answers."""
    most: Usage
    """The reserved amount: one byte for each token, and answers of the greatest length."""
    price: ChatPrice | None
    about: str
    """The objects of the requests, in the plural."""

    @classmethod
    def of(cls, requests: Iterable[ChatRequest], about: str, price: ChatPrice | None) -> "CostEstimate":
        """Return the estimated cost of requests."""
        n_requests, likely, most = 0, Usage(), Usage()
        for request in requests:
            n_requests += 1
            sent = request.likely_tokens - request.max_tokens
            likely += Usage(sent, request.max_tokens // _SHARE_ANSWERED)
            most += Usage(request.most_prompt_tokens, request.max_tokens)
        return cls(n_requests, likely, most, price, about)

    @property
    def likely_usd(self) -> float | None:
        """Likely cost in US dollars; None if the prices are unknown."""
        return self.price.of(self.likely) if self.price else None

    @property
    def most_usd(self) -> float | None:
        """Smallest budget that allows all requests; None if the prices are unknown."""
        return self.price.of(self.most) if self.price else None

    def __str__(self) -> str:
        tokens = f"about {self.likely.prompt:,} tokens, and {self.likely.completion:,} in answers"
        told = f"{self.n_requests} {self.about} to send: {tokens}"
        if self.price is None or self.likely_usd is None or self.most_usd is None:
            return f"{told}; the prices of the model are unknown"
        as_of = f" (prices of {self.price.as_of})" if self.price.as_of else ""
        return f"{told}; about ${self.likely_usd:.4f}, at most ${self.most_usd:.4f} with {self.price.model}{as_of}"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """One chat model for many requests, and their limits."""

    model: str
    price: ChatPrice | None
    """None if unknown."""
    budget_usd: float | None = None
    """Limit in dollars for all answers that were ever paid for in the folder; None: no limit."""
    tries: int = 2
    """Most requests, in all runs, for one usable answer."""
    retries: int = RETRIES
    """How often a request that failed for a temporary reason is sent again."""
    timeout: float = 120.0
    """Seconds for one answer."""
    batch: bool = False
    """Whether requests are sent as one batch, which costs half and may take a day."""
    pause: float = 20.0
    """Seconds between two status requests for a batch."""
    thinking: int = 0
    """Tokens that the model may use for reasoning; they are reserved and paid for as answered."""

    @property
    def asked_price(self) -> ChatPrice | None:
        """The price of requests as they are sent, singly or in a batch; None if unknown."""
        return self.price.in_batch if self.price and self.batch else self.price
