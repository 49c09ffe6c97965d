"""What a model made of the order of the best hits, as a receipt says it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ordering:
    """One attempt to put the first hits in another order."""

    model: str
    looked_at: int
    """The first so many hits were shown to it."""
    left: str = ""
    """Why they stand as they stood, as a clause; empty where the order is the model's."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """As the server counted them; 0 of a model that runs here."""
    usd: float | None = 0.0
    """What they cost; None: nobody knows the price."""
    milliseconds: float = 0.0
    """Wall time of the attempt; part of the receipt's."""

    def __str__(self) -> str:
        """All of it on one line."""
        usd = "" if self.usd is None else f", ${self.usd:.4f}"
        tokens = f", {self.prompt_tokens + self.completion_tokens:,} tokens{usd}" if self.prompt_tokens else ""
        done = f"{self.model} put the first {self.looked_at} in order"
        said = f"{self.model} did not order the first {self.looked_at}: {self.left}" if self.left else done
        return f"{said} ({self.milliseconds:.0f} ms{tokens})"
