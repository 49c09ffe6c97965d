"""What is an English word: pyspellchecker, wrapped here alone, for its list."""

from functools import cache

import Stemmer
from spellchecker import SpellChecker

_STEMMER = Stemmer.Stemmer("english", 1 << 14)


def is_english(word: str) -> bool:
    """Whether a word, in lower case, is an English one in some form of it."""
    return _STEMMER.stemWord(word) in _stems()


@cache
def _stems() -> frozenset[str]:
    """Of all words of the list. It is read once, by the first question that has a word which is nowhere else."""
    return frozenset(_STEMMER.stemWords(SpellChecker(language="en").word_frequency.keys()))
