"""What asking a model came to."""

from dataclasses import dataclass

from retrieval.models.chat import Usage


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
