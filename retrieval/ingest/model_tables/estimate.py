"""What it would cost to have tables read by a model, known before anything is sent."""

from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.ingest.model_tables.request import TableRequest
from retrieval.models.chat import Usage
from retrieval.models.chat_prices import ChatPrice

_SHARE_ANSWERED = 2
"""About so many times fewer tokens come back than were set aside."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of some requests, each answered once. `str(estimate)` says it in words."""

    n_tables: int
    likely: Usage
    """Three bytes for a token, and half of what is set aside for the answers."""
    most: Usage
    """What is set aside: a byte for a token, and answers as long as they may be."""
    price: ChatPrice | None

    @classmethod
    def of(cls, requests: Iterable[TableRequest], model: str, price: ChatPrice | None) -> "Estimate":
        """The cost of some requests."""
        n_tables, likely, most = 0, Usage(), Usage()
        for request in requests:
            asked = request.asked(model)
            n_tables += 1
            sent = asked.likely_tokens - asked.max_tokens
            likely += Usage(sent, asked.max_tokens // _SHARE_ANSWERED)
            most += Usage(asked.most_prompt_tokens, asked.max_tokens)
        return cls(n_tables, likely, most, price)

    @property
    def likely_usd(self) -> float | None:
        """None where nobody knows the prices."""
        return self.price.of(self.likely) if self.price else None

    @property
    def most_usd(self) -> float | None:
        """What a budget must allow so that nothing is left to the rules."""
        return self.price.of(self.most) if self.price else None

    def __str__(self) -> str:
        told = (
            f"{self.n_tables} tables to send: about {self.likely.prompt:,} tokens, and {self.likely.completion:,} "
            "answered"
        )
        if self.price is None or self.likely_usd is None or self.most_usd is None:
            return f"{told}; nobody here knows the prices of the model"
        as_of = f" (prices of {self.price.as_of})" if self.price.as_of else ""
        return f"{told}; about ${self.likely_usd:.4f}, at most ${self.most_usd:.4f} with {self.price.model}{as_of}"
