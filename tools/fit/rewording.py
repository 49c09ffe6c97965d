"""Questions with some of their words replaced by others of nearly the same meaning, for the trees to learn from."""

import re
from functools import cache
from random import Random

import numpy as np

from retrieval.index.words.word_vectors import WORD_EMBEDDER, word_vector
from retrieval.types import Vector

LEAST, MOST = 0.4, 0.8
"""Cosine of a word and one that stands for it: less means something else, more is the same word once more."""
SHARE = 0.5
"""Of the words that have another."""
SHORTEST = 4
"""Letters of a word that is said in another way, and of that other."""
_CHOSEN_FROM = 3
_SAME_STEM = 3
"""Letters that two words begin with if they are forms of one: `dam` is no other word for `damage`."""
_WORD = re.compile(rf"[^\W\d_]{{{SHORTEST},}}")


def reworded(question: str, draws: Random) -> str:
    """The question with some of its words replaced by words of nearly the same meaning; as it is if none has one."""

    def other(match: re.Match[str]) -> str:
        result = others(match[0].lower())
        return draws.choice(result) if result and draws.random() < SHARE else match[0]

    return _WORD.sub(other, question)


@cache
def others(word: str) -> tuple[str, ...]:
    """The words that are nearest to one in meaning and no forms of it, the nearest first; at most three."""
    words, vectors = _model()
    cosines = vectors @ word_vector(word)
    near = np.flatnonzero((cosines >= LEAST) & (cosines <= MOST))
    order = sorted(near.tolist(), key=lambda position: (-round(float(cosines[position]), 3), words[position]))
    return tuple(words[position] for position in order if words[position][:_SAME_STEM] != word[:_SAME_STEM])[
        :_CHOSEN_FROM
    ]


@cache
def _model() -> tuple[tuple[str, ...], Vector]:
    words = tuple(word for word in WORD_EMBEDDER.words if len(word) >= SHORTEST)
    return words, WORD_EMBEDDER.embed(words)
