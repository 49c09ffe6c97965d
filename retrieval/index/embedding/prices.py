"""What a paid embedder costs: a table of prices with its date."""

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from retrieval.types import EmbedderIdentity


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs. Key: model."""

    model: str
    usd_per_million_tokens: float
    as_of: date
    """When somebody looked; prices change."""

    def of(self, tokens: int) -> float:
        """US dollars."""
        return tokens * self.usd_per_million_tokens / 1_000_000


def price_of(embedder: EmbedderIdentity) -> Price | None:
    """The price of an embedder's model; None: it runs here, and costs nothing.

    Another server behind the same protocol may have other prices: this is OpenAI's.
    """
    return _table().get(embedder.version)


@cache
def _table() -> dict[str, Price]:
    stored = tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8"))
    return {model: Price(model, usd, stored["as_of"]) for model, usd in stored["usd_per_million_tokens"].items()}
