"""A number without sign and unit: figures, words, or figures with a word (`1.5 million`, `2 and a half`, `7th`)."""

from collections.abc import Sequence
from typing import NamedTuple

from retrieval.quantities.measures import measure
from retrieval.quantities.number_words import spelled
from retrieval.quantities.pieces import Piece, hyphen_at, touches, value_of, word_at
from retrieval.quantities.quantity import Kind
from retrieval.quantities.words import (
    AFTER_PRONOUN,
    ARTICLES,
    BEFORE_PRONOUN,
    FUNCTION_WORDS,
    MULTIPLES,
    ORDINALS,
    PART,
    PARTS,
)

_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})


class Numeral(NamedTuple):
    """A value and the place of the piece after it; `figures` is empty for a number in words."""

    value: float
    next: int
    kind: Kind = "number"
    figures: str = ""


def numeral(found: Sequence[Piece], at: int, *, joined: bool) -> Numeral | None:
    """Read a number at a place; without `joined`, `and` stands between two numbers and not inside one."""
    if at >= len(found):
        return None
    read = _part(found, at) or _figures(found, at) or _words(found, at, joined)
    return read and _with_half(found, _with_part(found, _multiplied(found, read)), joined)


def _figures(found: Sequence[Piece], at: int) -> Numeral | None:
    piece = found[at]
    value = value_of(piece)
    if value is None:
        return None
    if piece.kind in ("slashed", "vulgar"):
        return Numeral(value, at + 1, "fraction", piece.text)
    if piece.kind == "sum":
        return Numeral(value, at + 1, "sum", piece.text)
    if touches(found, at + 1) and word_at(found, at + 1) in _ORDINAL_ENDINGS:
        return Numeral(value, at + 2, "ordinal", piece.text)
    more = at + 1 + hyphen_at(found, at + 1)
    if more < len(found) and found[more].kind in ("slashed", "vulgar") and value.is_integer():
        part = value_of(found[more])
        if part is not None and part < 1:
            return Numeral(value + part, more + 1, "number", piece.text)
    return Numeral(value, at + 1, "number", piece.text)


def _words(found: Sequence[Piece], at: int, joined: bool) -> Numeral | None:
    word = word_at(found, at)
    if not word or (word == "second" and word_at(found, at - 1) == "per"):
        return None
    read = spelled(found, at, joined=joined)
    if read is None or (word == "one" and read.next == at + 1 and _is_pronoun(found, at)):
        return None
    return Numeral(read.value, read.next, "ordinal" if read.ordinal else "number")


def _is_pronoun(found: Sequence[Piece], at: int) -> bool:
    """Whether `one` stands for a thing: `which one hits harder`, `the small one`, `one of them`."""
    if hyphen_at(found, at + 1):
        return False
    after = word_at(found, at + 1)
    if word_at(found, at - 1) in BEFORE_PRONOUN or after in AFTER_PRONOUN:
        return True
    return not after and word_at(found, at - 2) in ARTICLES


def _part(found: Sequence[Piece], at: int) -> Numeral | None:
    """`half of the surface`, `half an hour`, `half-inch`, `a quarter of`, `a third of`."""
    article = word_at(found, at) in ARTICLES - {"the"}
    place = at + article
    word, after = word_at(found, place), word_at(found, place + 1)
    if word not in PART or _is_ordinal(word_at(found, at - 1)):
        return None
    if word == "half" and after in ARTICLES and word_at(found, place + 2) in MULTIPLES:
        return Numeral(MULTIPLES[word_at(found, place + 2)] / 2, place + 3)
    if word in ("half", "quarter"):
        inner = place + 1 + hyphen_at(found, place + 1)
        of_measure = inner < len(found) and found[inner].kind == "word" and measure(found[inner].text) is not None
        if of_measure:
            return Numeral(1 / PART[word], place + 1, "fraction")
    if word == "half":
        if after == "of" or after in ARTICLES or (article and not after and not hyphen_at(found, place + 1)):
            return Numeral(0.5, place + 1, "fraction")
    elif after == "of" and (article or word == "quarter"):
        return Numeral(1 / PART[word], place + 1, "fraction")
    return None


def _is_ordinal(word: str) -> bool:
    """Whether the word before makes a time of play of it: `the second half of the game`, `the 3rd quarter of 2008`."""
    return word in ORDINALS or word in _ORDINAL_ENDINGS


def _multiplied(found: Sequence[Piece], read: Numeral) -> Numeral:
    """`1.5 million`, `3 dozen`, `10-thousand`."""
    place = read.next + hyphen_at(found, read.next)
    word = word_at(found, place)
    if read.figures and read.kind == "number" and word in MULTIPLES:
        return read._replace(value=read.value * MULTIPLES[word], next=place + 1)
    return read


def _with_part(found: Sequence[Piece], read: Numeral) -> Numeral:
    """`two thirds`, `three-quarters`, `one third of`."""
    place = read.next + hyphen_at(found, read.next)
    word = word_at(found, place)
    if read.kind != "number" or not read.value.is_integer():
        return read
    after = word_at(found, place + 1)
    if read.value == 1 and word in PART:
        is_part = word in ("half", "quarter") or not after or after in FUNCTION_WORDS
        return read._replace(value=1 / PART[word], next=place + 1, kind="fraction") if is_part else read
    if word in PARTS:
        return read._replace(value=read.value / PARTS[word], next=place + 1, kind="fraction")
    return read


def _with_half(found: Sequence[Piece], read: Numeral, joined: bool) -> Numeral:
    """`two and a half`, `2 and three quarters`."""
    if not joined or read.kind != "number" or word_at(found, read.next) != "and" or not read.value.is_integer():
        return read
    article = word_at(found, read.next + 1) == "a"
    word = word_at(found, read.next + 2)
    if article and word in ("half", "quarter", "third"):
        return read._replace(value=read.value + 1 / PART[word], next=read.next + 3)
    counted = spelled(found, read.next + 1) if not article else None
    if counted and not counted.ordinal:
        part = _with_part(found, Numeral(counted.value, counted.next))
        if part.kind == "fraction" and part.value < 1:
            return read._replace(value=read.value + part.value, next=part.next)
    return read
