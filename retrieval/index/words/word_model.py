"""The model of single words, whatever model embeds the library: it is there, and needs no server."""

from functools import lru_cache

from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.types import Vector

WORDS = WordllamaEmbedder()


@lru_cache(maxsize=1 << 14)
def word_vector(words: str) -> Vector:
    """The vector of a word or two, (dimensions,). Questions repeat their words."""
    return WORDS.embed_one(words)
