"""Which model is asked, and within which limits."""

from dataclasses import dataclass

from retrieval.models.chat_prices import ChatPrice


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
    retries: int = 4
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
