"""What the makers of open embedding models say of them: dimensions, and what stands before questions and texts."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """One family of models."""

    dimensions: int | None = None
    """None: nobody here knows; the model has to be asked."""
    query: str = ""
    """Stands before a question."""
    text: str = ""
    """Stands before a text that is looked for."""
    own_code: bool = False
    """Whether sentence-transformers runs Python code that the model brings."""

    def version(self, of: str) -> str:
        """A model's version: vectors of texts with something before them are no vectors of the bare texts."""
        return f"{of}+{self.text.strip()}" if self.text else of


_SEARCHING = "Represent this sentence for searching relevant passages: "
_ANSWERING = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "

CARDS: Mapping[str, Card] = {
    "nomic-embed-text": Card(768, "search_query: ", "search_document: ", own_code=True),
    "bge-small-en": Card(384, _SEARCHING),
    "bge-base-en": Card(768, _SEARCHING),
    "bge-large-en": Card(1024, _SEARCHING),
    "bge-m3": Card(1024),  # it was trained without an instruction, and says so
    "mxbai-embed-large": Card(1024, _SEARCHING),
    "e5-small": Card(384, "query: ", "passage: "),
    "e5-base": Card(768, "query: ", "passage: "),
    "e5-large": Card(1024, "query: ", "passage: "),
    "multilingual-e5-small": Card(384, "query: ", "passage: "),
    "multilingual-e5-base": Card(768, "query: ", "passage: "),
    "multilingual-e5-large": Card(1024, "query: ", "passage: "),
    "multilingual-e5-large-instruct": Card(1024, _ANSWERING),
    "all-minilm-l6": Card(384),
    "text-embedding-3-small": Card(1536),
    "text-embedding-3-large": Card(3072),
    "text-embedding-ada-002": Card(1536),
}
"""By the beginning of a model's name, without its owner."""


def card_of(model: str) -> Card:
    """The card of the model's family; an empty one if nobody here knows it.

    Servers call one model by several names: `nomic-ai/nomic-embed-text-v2-moe`, `nomic-embed-text:latest`.
    """
    name = model.rstrip("/").rpartition("/")[2].lower()
    families = [family for family in CARDS if name.startswith(family)]
    return CARDS[max(families, key=len)] if families else Card()
