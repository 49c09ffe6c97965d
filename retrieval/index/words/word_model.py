"""The model of single words, whatever model embeds the library: it is there, and needs no server."""

from functools import lru_cache

from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.types import Vector

WORDS = WordllamaEmbedder()

_SAYS_LITTLE, _SAYS_ALL = 4.0, 20.0
"""Lengths of the vector of a word: `just` and `got` are at the first, `hotel` and `hovercraft` beyond the second."""


@lru_cache(maxsize=1 << 14)
def word_vector(words: str) -> Vector:
    """The vector of a word or two, (dimensions,). Questions repeat their words."""
    return WORDS.embed_one(words)


@lru_cache(maxsize=1 << 14)
def telling(word: str) -> float:
    """How much a word tells in any text, 0 to 1: `just` nothing, `price` nearly half, `hovercraft` all.

    A model of texts by the mean of their words makes vectors long for the words that set texts apart.
    """
    return min(max((WORDS.length_of(word) - _SAYS_LITTLE) / (_SAYS_ALL - _SAYS_LITTLE), 0.0), 1.0)
