"""Function words, verbs and past forms, as far as conditions need them."""

import tomllib
from importlib.resources import files
from typing import Any

from retrieval.understand.catalog.words import STEM, Word

_LISTS: dict[str, Any] = tomllib.loads((files("retrieval.language") / "question_words.toml").read_text("utf-8"))


def listed_words(name: str) -> frozenset[str]:
    """The words of one list of `question_words.toml`."""
    return _split(_LISTS[name])


def _split(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


PREPOSITIONS = listed_words("prepositions")
AUXILIARIES = listed_words("auxiliaries")
ADVERBS = listed_words("adverbs")
RELATIVES = listed_words("relatives")
CONJUNCTIONS = listed_words("conjunctions")
NEGATIONS = listed_words("negations")
SUBJECTS = listed_words("subjects")
ASKING = listed_words("asking")
CARRIERS = listed_words("carriers")
"""Words that carry a condition and say nothing of a topic."""
GLUE = PREPOSITIONS | AUXILIARIES | ADVERBS | RELATIVES | CONJUNCTIONS | NEGATIONS | SUBJECTS | ASKING
"""Words that say nothing of a topic."""
STOPS = listed_words("stops")
"""Words that end a phrase of nouns."""
MADE = listed_words("made")
_FIRST, *_OTHERS = map(_split, _LISTS["date_senses"])
SENSES = (MADE | _FIRST, *_OTHERS)
"""Words that mean the same date; the first is what a time without a verb is about."""
DATING = frozenset(word for sense in SENSES for word in sense)
PHRASES = {name: frozenset(tuple(phrase.split()) for phrase in _split(text)) for name, text in _LISTS["times"].items()}
"""What bounds a time, by the name of the bound."""
QUOTES = frozenset("\"'“”‘’")
_IRREGULAR = listed_words("irregular_past")


def is_noun_like(key: str) -> bool:
    """Whether a word may stand within a phrase of nouns and adjectives."""
    return key[0].isalpha() and key not in GLUE


def is_past(word: Word) -> bool:
    """Whether a word looks like a verb of the past."""
    term = word.text.lower()
    return term in _IRREGULAR or (term.endswith("ed") and len(term) >= STEM)


def is_denial(key: str) -> bool:
    """Whether a word denies: `not`, `isn't`."""
    return key in NEGATIONS or key.endswith(("n't", "n’t"))
