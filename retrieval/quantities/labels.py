"""What stands before a number: the word that it numbers, or the name that it may be a part of."""

from collections.abc import Sequence

from retrieval.quantities.pieces import Piece, hyphen_at, mark_at, touches, word_at
from retrieval.quantities.words import (
    AFTER_LABEL,
    DOWNWARDS,
    FUNCTION_WORDS,
    MONTHS,
    NUMBER_WORDS,
    NUMBERING,
    UPWARDS,
    singular,
)

_LONGEST_ABBREVIATION = 4
_NO_LABEL = FUNCTION_WORDS | NUMBER_WORDS | AFTER_LABEL
_NO_NAME = NUMBERING | MONTHS | FUNCTION_WORDS | NUMBER_WORDS
_COMPARING = (FUNCTION_WORDS - {"one"}) | UPWARDS | DOWNWARDS | frozenset("<>=≤≥⩽⩾")
"""An interval that begins with one of these does not stand directly after the word before it."""
_LEADING = frozenset(":=#")
_APOSTROPHES = frozenset("'’")
_SENTENCE_ENDS = frozenset(".!?:;")


def label_before(found: Sequence[Piece], at: int) -> str | None:
    """The word that numbers what begins at a place: `level five`, `score of ten`, `strength: 15`, `frame no. 10`."""
    place = at - 1
    if hyphen_at(found, place):
        place -= 1
    else:
        for _ in range(3):
            place -= _leads_to_number(found, place)
    if place < 0 or found[place].kind not in ("word", "dice"):
        return None
    word = found[place].lower
    if word == "s" and mark_at(found, place - 1) in _APOSTROPHES and touches(found, place):
        return None
    return None if word in _NO_LABEL else singular(word)


def _leads_to_number(found: Sequence[Piece], at: int) -> bool:
    mark = mark_at(found, at)
    return mark in _LEADING or (mark == "." and word_at(found, at - 1) == "no") or word_at(found, at) in AFTER_LABEL


def follows_name(found: Sequence[Piece], at: int) -> bool:
    """Whether a number stands directly after a name: an identifier, or a capitalised word inside a sentence.

    A word that numbers things is none (`Level 5`), nor is a short one in capitals (`AC 5`, `TL 10`).
    """
    place = at - 1
    place -= hyphen_at(found, place)
    if place < 0 or found[place].kind != "word" or found[at].lower in _COMPARING:
        return False
    word = found[place].text
    if _is_identifier(word):
        return True
    if not word[0].isupper() or singular(word.lower()) in _NO_NAME:
        return False
    if word.isupper() and len(word) <= _LONGEST_ABBREVIATION:
        return False
    return place > 0 and mark_at(found, place - 1) not in _SENTENCE_ENDS


def _is_identifier(word: str) -> bool:
    return not word.isalpha() or (word[1:] != word[1:].lower() and not word.isupper())
