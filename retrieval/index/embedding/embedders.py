"""Embedders by name, their prices and their token counts. Loading one is cheap."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from retrieval.errors import BudgetExceededError, UnknownNameError
from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.index.embedding.openai_model import OF_A_SERVER, OpenAiEmbedder
from retrieval.index.embedding.sentence_model import PREFIX, SentenceEmbedder
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.ingest.sections import WORKING_TOKENS, Cuts, most_tokens
from retrieval.models.openai_client import OpenAiClient
from retrieval.settings import DEFAULT_EMBEDDER, TOKEN_CAP, Settings
from retrieval.types import Embedder, EmbedderIdentity

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = MappingProxyType(
    {"wordllama": WordllamaEmbedder, "minilm": MiniLmEmbedder, "openai": OpenAiEmbedder}
)


def is_hosted(name: str) -> bool:
    """Whether an embedder of that name asks a server."""
    return name == "openai" or name.startswith(OF_A_SERVER)


def require_local(name: str) -> None:
    """See that an embedder of this machine has its library and its weights; one that asks a server is not asked.

    Raises:
        EmbedderUnavailableError: it lacks one of them.
        UnknownNameError: there is no such embedder.
    """
    if not is_hosted(name):
        load_embedder(name).embed_query("any")


def load_embedder(name: str = DEFAULT_EMBEDDER, client: OpenAiClient | None = None) -> Embedder:
    """The embedder of that name.

    `st:MODEL` is a model of the sentence-transformers library, `openai:MODEL` one of a server that speaks OpenAI's
    protocol.

    Args:
        name: of the embedder.
        client: what asks that server; None: one of its own.

    Raises:
        UnknownNameError: no such embedder; lists those that exist.
    """
    if name.startswith(PREFIX) and name != PREFIX:
        return SentenceEmbedder(name.removeprefix(PREFIX))
    if name.startswith(OF_A_SERVER) and name != OF_A_SERVER:
        return OpenAiEmbedder(model=name.removeprefix(OF_A_SERVER), client=client)
    if name not in EMBEDDERS:
        raise UnknownNameError("embedder", name, [*EMBEDDERS, f"{PREFIX}MODEL", f"{OF_A_SERVER}MODEL"])
    return OpenAiEmbedder(client=client) if is_hosted(name) else EMBEDDERS[name]()


_KEPT = 1 << 16


@runtime_checkable
class Counting(Protocol):
    """An embedder that has its tokenizer here."""

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has."""


def cuts_for(settings: Settings, embedder: Embedder) -> Cuts:
    """Where the settings want prose to be cut.

    A home that says no size is cut as it always was, by an estimate that needs no tokenizer, whatever embeds it.
    """
    chunking, cap = settings.chunking, settings.embedding.max_tokens
    levels = {name: getattr(chunking, name) for name in ("header_level", "fallback_header_level")}
    if chunking.max_chunk_tokens is None and cap == TOKEN_CAP:
        return Cuts(**levels, split_only_when_needed=chunking.split_only_when_needed)
    count = token_counter(embedder)
    return Cuts(
        working_tokens=chunking.max_chunk_tokens or WORKING_TOKENS,
        cap=cap,
        **levels,
        split_only_when_needed=chunking.split_only_when_needed,
        count=count,
        glue=1 + count("\n\n"),  # words at a seam may be cut otherwise than alone
    )


def token_counter(embedder: Embedder) -> Callable[[str], int]:
    """Counts tokens as an embedder does; one whose tokenizer is elsewhere (`openai`) gets the most it can be."""
    return lru_cache(_KEPT)(embedder.count_tokens) if isinstance(embedder, Counting) else most_tokens


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
