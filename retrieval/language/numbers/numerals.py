"""The values of numerals without sign and unit, from the pieces that the lexer cuts: `1.5 million`, `2 and a half`."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import inf, isinf
from typing import NamedTuple

from retrieval.language.lexer import VULGAR, Lexeme, fraction, lex, worth_of_sum
from retrieval.language.numbers.quantity import (
    AFTER_PRONOUN,
    ARTICLES,
    BEFORE_PRONOUN,
    CARDINALS,
    FUNCTION_WORDS,
    MULTIPLES,
    ORDINALS,
    PART,
    PARTS,
    SCALES,
    Kind,
    measure,
)

_GROUPING = str.maketrans("", "", ", \u00a0\u2009\u202f")
PERCENTILE_HUNDRED = "00"
_COUNTING = frozenset({"figure", "ordinal"})
_NAME = re.compile(
    r"""
    (?P<code>    (?<![\w-])[A-Z]\w{0,20}(?:-\w{1,20}){0,4}?-(?:[A-Za-z]{1,9}[0-9]|[0-9]{1,9}[A-Za-z])\w{0,20}(?!\w) )
  | (?P<version> [vV][0-9]+(?:\.[0-9]+){2,15}+ )
  | (?P<dice>    [0-9]*[dD](?:[1-9][0-9]*|%)(?!\w)(?:\s?[-+−–x×*]\s?[0-9]+(?:,[0-9]{3})*(?![\w.]))? )
  | (?P<word>    (?:_(?=\w)|[^\W\d_])\w*(?:['’][^\W\d_]+)* )
    """,
    re.VERBOSE,
)
"""What several lexemes are together: a code, a version with its v, dice with what is added, and a word with digits."""
_BEGINNINGS = frozenset({"word", "letter", "dice"})


def pieces_of(text: str) -> list[Lexeme]:
    """Return the lexemes of a text as numbers need them: names are one piece, whatever digits are in them.

    Left out are raised footnote numbers, and what a name cuts off, like the `.11` of `python3.11`. `1--3` has one long
    dash.
    """
    pieces: list[Lexeme] = []
    end = 0
    for lexeme in lex(text):
        if lexeme.start < end or lexeme.kind == "raised":
            continue
        name = _NAME.match(text, lexeme.start) if lexeme.kind in _BEGINNINGS or lexeme.text == "_" else None
        if name:
            end, words = name.end(), name.group()
            pieces.append(Lexeme(name.lastgroup or "", words, name.start(), end, words.lower()))
        else:
            pieces.append(lexeme._replace(kind="word") if lexeme.kind == "dice" else lexeme)
    return _with_long_dashes(pieces) if "--" in text else pieces


def _with_long_dashes(pieces: list[Lexeme]) -> list[Lexeme]:
    """Return the pieces with two hyphens between numbers joined to a dash, as in Pandoc and TeX."""
    made: list[Lexeme] = []
    for at, piece in enumerate(pieces):
        second = mark_at(pieces, at) == mark_at(pieces, at - 1) == "-" and at > 1 and touches(pieces, at)
        last = at - 2
        figures = second and at + 1 < len(pieces) and {pieces[last].kind, pieces[at + 1].kind} <= _COUNTING
        if figures and mark_at(pieces, last - 1) not in ("-", "−", "–"):
            made[-1] = Lexeme("mark", "–", made[-1].start, piece.end, "–")
        else:
            made.append(piece)
    return made


def value_of(piece: Lexeme) -> float | None:
    """Return the value of a number; None if the piece is not a number, or is too large for a float."""
    value = _VALUES[piece.kind](piece.text) if piece.kind in _VALUES else None
    return None if value is None or isinf(value) else value


def _figure(text: str) -> float:
    return 100.0 if text == PERCENTILE_HUNDRED else float(text.translate(_GROUPING))


def _power(text: str) -> float:
    base, _, exponent = text.partition("^")
    try:
        return float(base) ** int(exponent)
    except (OverflowError, ZeroDivisionError):
        return inf


_VALUES: Mapping[str, Callable[[str], float | None]] = {
    "figure": _figure,
    "ordinal": lambda text: _figure(text[:-2]),
    "hex": lambda text: float(int(text, 16)),
    "power": _power,
    "sum": worth_of_sum,
    "slashed": fraction,
    "vulgar": VULGAR.__getitem__,
}


def touches(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether nothing is between the piece at `at` and the one before it."""
    return 0 < at < len(pieces) and pieces[at - 1].end == pieces[at].start


def word_at(pieces: Sequence[Lexeme], at: int) -> str:
    """Return the lower-case word at an index; empty if there is none."""
    return pieces[at].lower if 0 <= at < len(pieces) and pieces[at].kind == "word" else ""


def hyphen_at(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether a hyphen joins the pieces before and after it: `ten-round`, `twenty-one`."""
    return mark_at(pieces, at) in ("-", "‐", "‑") and touches(pieces, at) and touches(pieces, at + 1)


def mark_at(pieces: Sequence[Lexeme], at: int) -> str:
    """Return the mark at an index; empty if there is none."""
    return pieces[at].text if 0 <= at < len(pieces) and pieces[at].kind == "mark" else ""


class Spelled(NamedTuple):
    """A number in words, and the index of the piece after it."""

    value: float
    next: int
    ordinal: bool = False


def spelled(pieces: Sequence[Lexeme], at: int, *, joined: bool = True) -> Spelled | None:
    """Return the number in words at an index; without `joined`, it ends at `and` (`between one and two hundred`)."""
    word = word_at(pieces, at)
    if word in ("a", "an") and word_at(pieces, at + 1) in MULTIPLES:
        return _NumberInWords(pieces, joined, group=1.0).read(at + 1)
    return _NumberInWords(pieces, joined, group=0.0).read(at) if word in CARDINALS or word in ORDINALS else None


class _NumberInWords:
    """Adds up one number in words; the value of the next word must be smaller than `room`."""

    def __init__(self, pieces: Sequence[Lexeme], joined: bool, group: float) -> None:
        self.pieces, self.joined = pieces, joined
        self.total, self.group = 0.0, group
        self.room = 0.0 if group else 1e3
        self.scale = 1e15
        self.before_and: Spelled | None = None

    def read(self, at: int) -> Spelled:
        end = at
        while True:
            word = word_at(self.pieces, at)
            if word in ORDINALS and ORDINALS[word] < self.room and self._fits_second(word, at, end):
                return Spelled(self.total + self.group + ORDINALS[word], at + 1, ordinal=True)
            if not self._take(word):
                if word in MULTIPLES and self.before_and:
                    return self.before_and
                break
            at = end = at + 1
            if hyphen_at(self.pieces, at) or self._goes_on_after_comma(at):
                at += 1
            elif self.joined and self.room >= 100 and word_at(self.pieces, at) == "and":
                self.before_and = Spelled(self.total + self.group, end)
                at += 1
        return Spelled(self.total + self.group, end)

    def _fits_second(self, word: str, at: int, end: int) -> bool:
        """Whether `second` is an ordinal here: in `twenty-second`, `one hundred and second` and alone, but not in
        `twenty second`, which is a time."""
        return word != "second" or at != end or not self.group

    def _goes_on_after_comma(self, at: int) -> bool:
        """Whether a comma continues the number, as in `one thousand, two hundred`, rather than a list."""
        return (
            self.room >= 1e3
            and mark_at(self.pieces, at) == ","
            and word_at(self.pieces, at + 1) in CARDINALS
            and word_at(self.pieces, at + 2) == "hundred"
        )

    def _take(self, word: str) -> bool:
        if word in CARDINALS:
            value = CARDINALS[word]
            if value >= self.room or (value == 0 and self.room < 1e3):
                return False
            self.group += value
            self.room = 10.0 if value >= 20 else 0.0
            if value == 0:
                self.scale = 0.0
        elif word == "hundred":
            if not 0 < self.group < 100:
                return False
            self.group, self.room = self.group * 100, 100.0
        elif word == "dozen":
            if not 0 < self.group < 100 or self.total:
                return False
            self.group, self.room, self.scale = self.group * 12, 0.0, 0.0
        elif word in SCALES and self.group and SCALES[word] < self.scale:
            self.scale = SCALES[word]
            self.total, self.group, self.room = self.total + self.group * self.scale, 0.0, 1e3
        else:
            return False
        return True


class Numeral(NamedTuple):
    """A value and the index of the piece after it; `figures` is empty for a number in words."""

    value: float
    next: int
    kind: Kind = "number"
    figures: str = ""


def numeral(pieces: Sequence[Lexeme], at: int, *, joined: bool) -> Numeral | None:
    """Return the number at an index, or None; without `joined`, `and` separates two numbers."""
    if at >= len(pieces):
        return None
    read = _part(pieces, at) or _figures(pieces, at) or _words(pieces, at, joined)
    return read and _with_half(pieces, _with_part(pieces, _multiplied(pieces, read)), joined)


def _figures(pieces: Sequence[Lexeme], at: int) -> Numeral | None:
    piece = pieces[at]
    value = value_of(piece)
    if value is None:
        return None
    if piece.kind in ("slashed", "vulgar"):
        return Numeral(value, at + 1, "fraction", piece.text)
    if piece.kind == "sum":
        return Numeral(value, at + 1, "sum", piece.text)
    if piece.kind == "ordinal":
        return Numeral(value, at + 1, "ordinal", piece.text[:-2])
    more = at + 1 + hyphen_at(pieces, at + 1)
    if more < len(pieces) and pieces[more].kind in ("slashed", "vulgar") and value.is_integer():
        part = value_of(pieces[more])
        if part is not None and part < 1:
            return Numeral(value + part, more + 1, "number", piece.text)
    return Numeral(value, at + 1, "number", piece.text)


def _words(pieces: Sequence[Lexeme], at: int, joined: bool) -> Numeral | None:
    word = word_at(pieces, at)
    if not word or (word == "second" and word_at(pieces, at - 1) == "per"):
        return None
    read = spelled(pieces, at, joined=joined)
    if read is None or (word == "one" and read.next == at + 1 and _is_pronoun(pieces, at)):
        return None
    return Numeral(read.value, read.next, "ordinal" if read.ordinal else "number")


def _is_pronoun(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether `one` is a pronoun: `which one hits harder`, `the small one`, `one of them`."""
    if hyphen_at(pieces, at + 1):
        return False
    after = word_at(pieces, at + 1)
    if word_at(pieces, at - 1) in BEFORE_PRONOUN or after in AFTER_PRONOUN:
        return True
    return not after and word_at(pieces, at - 2) in ARTICLES


def _part(pieces: Sequence[Lexeme], at: int) -> Numeral | None:
    """Return the fraction in `half of the surface`, `half an hour`, `half-inch`, `a quarter of`, `a third of`."""
    article = word_at(pieces, at) in ARTICLES - {"the"}
    position = at + article
    word, after = word_at(pieces, position), word_at(pieces, position + 1)
    if word not in PART or _follows_ordinal(pieces, at):
        return None
    if word == "half" and after in ARTICLES and word_at(pieces, position + 2) in MULTIPLES:
        return Numeral(MULTIPLES[word_at(pieces, position + 2)] / 2, position + 3)
    if word in ("half", "quarter"):
        inner = position + 1 + hyphen_at(pieces, position + 1)
        of_measure = inner < len(pieces) and pieces[inner].kind == "word" and measure(pieces[inner].text) is not None
        if of_measure:
            return Numeral(1 / PART[word], position + 1, "fraction")
    if word == "half":
        if after == "of" or after in ARTICLES or (article and not after and not hyphen_at(pieces, position + 1)):
            return Numeral(0.5, position + 1, "fraction")
    elif after == "of" and (article or word == "quarter"):
        return Numeral(1 / PART[word], position + 1, "fraction")
    return None


def _follows_ordinal(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether `half` or `quarter` at an index is a period: `the second half of the game`, `3rd quarter`."""
    return word_at(pieces, at - 1) in ORDINALS or (at > 0 and pieces[at - 1].kind == "ordinal")


def _multiplied(pieces: Sequence[Lexeme], read: Numeral) -> Numeral:
    """Return a number with its multiplier: `1.5 million`, `3 dozen`, `10-thousand`."""
    position = read.next + hyphen_at(pieces, read.next)
    word = word_at(pieces, position)
    if read.figures and read.kind == "number" and word in MULTIPLES:
        return read._replace(value=read.value * MULTIPLES[word], next=position + 1)
    return read


def _with_part(pieces: Sequence[Lexeme], read: Numeral) -> Numeral:
    """Return a number with its divisor: `two thirds`, `three-quarters`, `one third of`."""
    position = read.next + hyphen_at(pieces, read.next)
    word = word_at(pieces, position)
    if read.kind != "number" or not read.value.is_integer():
        return read
    after = word_at(pieces, position + 1)
    if read.value == 1 and word in PART:
        is_part = word in ("half", "quarter") or not after or after in FUNCTION_WORDS
        return read._replace(value=1 / PART[word], next=position + 1, kind="fraction") if is_part else read
    if word in PARTS:
        return read._replace(value=read.value / PARTS[word], next=position + 1, kind="fraction")
    return read


def _with_half(pieces: Sequence[Lexeme], read: Numeral, joined: bool) -> Numeral:
    """Return a number with an added fraction: `two and a half`, `2 and three quarters`."""
    if not joined or read.kind != "number" or word_at(pieces, read.next) != "and" or not read.value.is_integer():
        return read
    article = word_at(pieces, read.next + 1) == "a"
    word = word_at(pieces, read.next + 2)
    if article and word in ("half", "quarter", "third"):
        return read._replace(value=read.value + 1 / PART[word], next=read.next + 3)
    counted = spelled(pieces, read.next + 1) if not article else None
    if counted and not counted.ordinal:
        part = _with_part(pieces, Numeral(counted.value, counted.next))
        if part.kind == "fraction" and part.value < 1:
            return read._replace(value=read.value + part.value, next=part.next)
    return read
