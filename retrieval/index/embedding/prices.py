"""What a paid embedder costs: a table of prices with its date, and an estimate of tokens that needs no tokenizer."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from retrieval.types import EmbedderIdentity

CHARACTERS = 3
"""Of a token. English prose has about 4, a row of numbers fewer: an estimate that may be too high keeps a budget."""


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


def estimated_tokens(texts: Iterable[str]) -> int:
    """About how many tokens these texts have, rather too many than too few."""
    return sum(max(1, -(-len(text) // CHARACTERS)) for text in texts)


@cache
def _table() -> dict[str, Price]:
    stored = tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8"))
    return {model: Price(model, usd, stored["as_of"]) for model, usd in stored["usd_per_million_tokens"].items()}
