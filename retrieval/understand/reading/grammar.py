"""Function words, verbs and past forms, as far as conditions need them."""

from retrieval.language.english import word_sets
from retrieval.understand.catalog.words import STEM, Word

QUESTION_WORDS = word_sets("questions")
"""Words by their function in a question about documents."""
PREPOSITIONS = QUESTION_WORDS["prepositions"]
AUXILIARIES = QUESTION_WORDS["auxiliaries"]
ADVERBS = QUESTION_WORDS["adverbs"]
RELATIVES = QUESTION_WORDS["relatives"]
CONJUNCTIONS = QUESTION_WORDS["conjunctions"]
NEGATIONS = QUESTION_WORDS["negations"]
SUBJECTS = QUESTION_WORDS["subjects"]
ASKING = QUESTION_WORDS["asking"]
CARRIERS = QUESTION_WORDS["carriers"]
"""Words that introduce a condition and are not part of a topic."""
GLUE = PREPOSITIONS | AUXILIARIES | ADVERBS | RELATIVES | CONJUNCTIONS | NEGATIONS | SUBJECTS | ASKING
"""Words that are not part of a topic."""
STOPS = QUESTION_WORDS["stops"]
"""Words that end a noun phrase."""
MADE = QUESTION_WORDS["made"]
_FIRST, *_OTHERS = word_sets("date_senses").values()
SENSES = (MADE | _FIRST, *_OTHERS)
"""Words that mean the same date; the first set is used for a time without a verb."""
DATING = frozenset(word for sense in SENSES for word in sense)
_BOUNDS = word_sets("time_bounds")
PHRASES = {name: frozenset(tuple(phrase.split("_")) for phrase in phrases) for name, phrases in _BOUNDS.items()}
"""Phrases that bound a time, by the name of the bound."""
QUOTES = frozenset("\"'“”‘’")
_IRREGULAR = QUESTION_WORDS["irregular_past"]


def is_noun_like(key: str) -> bool:
    """Whether a word can be part of a noun phrase."""
    return key[0].isalpha() and key not in GLUE


def is_past(word: Word) -> bool:
    """Whether a word looks like a past verb."""
    term = word.text.lower()
    return term in _IRREGULAR or (term.endswith("ed") and len(term) >= STEM)


def is_denial(key: str) -> bool:
    """Whether a word is a negation: `not`, `isn't`."""
    return key in NEGATIONS or key.endswith(("n't", "n’t"))
