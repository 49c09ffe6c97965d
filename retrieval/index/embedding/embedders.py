"""Embedders by name, their prices and their token counts. Loading one is cheap."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType

from retrieval.errors import BudgetExceededError, UnknownNameError
from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.index.embedding.openai_model import OF_A_SERVER, OpenAiEmbedder
from retrieval.index.embedding.sentence_model import PREFIX, SentenceEmbedder
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.ingest.prose_chunking import WORKING_TOKENS, Cuts, most_tokens
from retrieval.models.chat import Usage
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.spending import ChatPrice
from retrieval.settings import DEFAULT_EMBEDDER, TOKEN_CAP, Settings
from retrieval.types import Embedder, EmbedderIdentity

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = MappingProxyType(
    {"wordllama": WordllamaEmbedder, "minilm": MiniLmEmbedder, "openai": OpenAiEmbedder}
)


def is_hosted(name: str) -> bool:
    """Whether the embedder of that name sends texts to a server."""
    return name == "openai" or name.startswith(OF_A_SERVER)


def require_local(name: str) -> None:
    """Check that a local embedder has its library and its weights; hosted ones are not checked.

    Raises:
        EmbedderUnavailableError: one of them is missing.
        UnknownNameError: there is no such embedder.
    """
    if not is_hosted(name):
        load_embedder(name).embed_query("any")


def load_embedder(name: str = DEFAULT_EMBEDDER, client: OpenAiClient | None = None) -> Embedder:
    """Return the embedder of that name.

    `st:MODEL` is a model of the sentence-transformers library, `openai:MODEL` one of a server that speaks OpenAI's
    protocol.

    Args:
        name: of the embedder.
        client: the client for that server; None: a new one.

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


def cuts_for(settings: Settings, embedder: Embedder) -> Cuts:
    """Return where the settings want prose to be divided into chunks.

    If the settings give no size, tokens are estimated without a tokenizer, whatever the embedder.
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
        glue=1 + count("\n\n"),  # words at a seam may be tokenized differently than alone
    )


def token_counter(embedder: Embedder) -> Callable[[str], int]:
    """Return a function that counts tokens as an embedder does, or an upper bound if its tokenizer is not here."""
    count: Callable[[str], int] | None = getattr(embedder, "count_tokens", None)
    return lru_cache(_KEPT)(count) if count else most_tokens


def price_of(embedder: EmbedderIdentity) -> ChatPrice | None:
    """Return the price of an embedder's model, or None if it has no listed price, such as one that runs here.

    This is OpenAI's price; another server with the same protocol may charge differently.
    """
    return _table().get(embedder.version)


@cache
def _table() -> dict[str, ChatPrice]:
    stored = tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8"))
    return {
        model: ChatPrice(model, usd, 0.0, stored["as_of"]) for model, usd in stored["usd_per_million_tokens"].items()
    }


_LEAST = 0.0001
"""The smallest amount shown, in dollars."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The tokens and dollars that it takes to embed some texts. `str(cost)` describes them in words."""

    n_texts: int
    tokens: int
    """An upper bound: a paid model's tokenizer is not on this machine, and a budget must hold."""
    price: ChatPrice | None
    """None if the embedder runs here and costs nothing."""

    @classmethod
    def of(cls, texts: Iterable[str], price: ChatPrice | None) -> "Cost":
        """Return the cost of sending texts to a model of this price."""
        counts = [most_tokens(text) for text in texts]
        return cls(len(counts), sum(counts), price)

    @property
    def usd(self) -> float:
        """US dollars."""
        return self.price.of(Usage(self.tokens)) if self.price else 0.0

    def __str__(self) -> str:
        told = f"up to {self.tokens:,} tokens"
        if self.price is None:
            return f"{told}, which cost nothing"
        usd = f"up to ${self.usd:.4f}" if self.usd >= _LEAST or not self.tokens else f"less than ${_LEAST}"
        return f"{told}, {usd} with {self.price.model} (prices of {self.price.as_of})"

    def require_within(self, budget: float | None) -> None:
        """Check that a budget in dollars allows it; None allows everything.

        Raises:
            BudgetExceededError: the budget does not.
        """
        if budget is not None and self.usd > budget:
            raise BudgetExceededError(
                f"{self.n_texts:,} chunks would have to be embedded: {self}, and budget_usd is {budget:g}; "
                "allow more in rag.yaml, or use another embedder; nothing was sent"
            )
