"""What a chat model costs: a table of prices with its date."""

import tomllib
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files

from retrieval.models.chat import Usage

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
