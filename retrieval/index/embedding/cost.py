"""What it costs to embed some texts, known before they are sent."""

from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.errors import BudgetExceededError
from retrieval.index.embedding.prices import Price
from retrieval.ingest.token_estimates import most_tokens

_LEAST = 0.0001
"""Dollars; less is not told apart."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it takes to embed some texts. `str(cost)` says it in words."""

    n_texts: int
    tokens: int
    """At most: a paid model's tokenizer is elsewhere, and a budget has to hold."""
    price: Price | None
    """None: the embedder runs here and costs nothing."""

    @classmethod
    def of(cls, texts: Iterable[str], price: Price | None) -> "Cost":
        """The cost of texts that are sent to a model of this price."""
        counts = [most_tokens(text) for text in texts]
        return cls(len(counts), sum(counts), price)

    @property
    def usd(self) -> float:
        """US dollars."""
        return self.price.of(self.tokens) if self.price else 0.0

    def __str__(self) -> str:
        told = f"up to {self.tokens:,} tokens"
        if self.price is None:
            return f"{told}, which cost nothing here"
        usd = f"up to ${self.usd:.4f}" if self.usd >= _LEAST or not self.tokens else f"less than ${_LEAST}"
        return f"{told}, {usd} with {self.price.model} (prices of {self.price.as_of})"

    def require_within(self, budget: float | None) -> None:
        """See that a budget in dollars allows it; None allows everything.

        Raises:
            BudgetExceededError: it does not.
        """
        if budget is not None and self.usd > budget:
            raise BudgetExceededError(
                f"{self.n_texts:,} chunks would have to be embedded: {self}, and budget_usd is {budget:g}; "
                "allow more in rag.yaml, or take another embedder; nothing was sent"
            )
