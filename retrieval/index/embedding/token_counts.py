"""How prose is cut for an embedder: in its own tokens, where somebody says how many."""

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, runtime_checkable

from retrieval.contract_settings import TOKEN_CAP
from retrieval.ingest.prose.cuts import WORKING_TOKENS, Cuts
from retrieval.ingest.token_estimates import most_tokens
from retrieval.settings import Settings
from retrieval.types import Embedder

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
