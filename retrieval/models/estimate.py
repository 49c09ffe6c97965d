"""What it would cost to ask a model, known before anything is sent."""

from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.models.chat import Asked, Usage
from retrieval.models.chat_prices import ChatPrice

_SHARE_ANSWERED = 2
"""About so many times fewer tokens come back than were set aside."""


@dataclass(frozen=True, slots=True)
class Estimate:
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
    def of(cls, requests: Iterable[Asked], about: str, price: ChatPrice | None) -> "Estimate":
        """The cost of some requests."""
        n_requests, likely, most = 0, Usage(), Usage()
        for asked in requests:
            n_requests += 1
            sent = asked.likely_tokens - asked.max_tokens
            likely += Usage(sent, asked.max_tokens // _SHARE_ANSWERED)
            most += Usage(asked.most_prompt_tokens, asked.max_tokens)
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
