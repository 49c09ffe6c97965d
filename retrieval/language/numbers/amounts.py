"""One number with sign, currency and unit."""

from collections.abc import Sequence
from math import nan
from typing import NamedTuple, cast

from retrieval.language.lexer import Lexeme
from retrieval.language.numbers.numerals import Numeral, hyphen_at, mark_at, numeral, touches, word_at
from retrieval.language.numbers.quantity import (
    AS_TEXT,
    FUNCTION_WORDS,
    NUMBER_WORDS,
    Kind,
    Unit,
    is_power,
    measure,
    powered,
    singular,
    temperature,
)

_QUOTES = frozenset("'\"’”")
_SQUARED = frozenset({("^", "2"), ("/", "s")})
_INCH = measure("inch")
_GEE = measure("gee")
_PERCENT = measure("percent")


class Following(NamedTuple):
    """A unit or None, and the index of the piece after it."""

    unit: Unit | None
    next: int
    singular: bool = False
    """Whether it is a noun in the singular, which after a label is not a unit (`level 9 fighter`)."""


def following(pieces: Sequence[Lexeme], at: int, start: int, *, ordinal: bool = False) -> Following:
    """Return the unit at `at`, after a number whose first piece is at `start`."""
    nothing = Following(None, at)
    if at >= len(pieces):
        return nothing
    hyphen = hyphen_at(pieces, at)
    position = at + hyphen
    if position >= len(pieces):
        return nothing
    if ordinal:
        return _noun(pieces, position, hyphen) or nothing
    return (
        _measured(pieces, position, start)
        or _bracketed(pieces, at, start)
        or _noun(pieces, position, hyphen)
        or nothing
    )


def _bracketed(pieces: Sequence[Lexeme], at: int, start: int) -> Following | None:
    """`40 [mA]`."""
    inner = _measured(pieces, at + 1, start) if mark_at(pieces, at) == "[" and at + 1 < len(pieces) else None
    return inner._replace(next=inner.next + 1) if inner and mark_at(pieces, inner.next) == "]" else None


def of_measure(pieces: Sequence[Lexeme], at: int) -> Following:
    """Return the unit after a fraction: `an hour` in `half an hour`, `of a mile` in `a quarter of a mile`."""
    position = at + (word_at(pieces, at) == "of")
    position += word_at(pieces, position) in ("a", "an", "the")
    position += hyphen_at(pieces, position)
    return (position < len(pieces) and _measured(pieces, position, at)) or Following(None, at)


def _measured(pieces: Sequence[Lexeme], at: int, start: int) -> Following | None:
    first = pieces[at]
    if first.kind == "mark":
        return _signed(pieces, at, start)
    if first.kind != "word":
        return None
    if phrase := _phrase(pieces, at):
        return phrase
    if first.lower == "in" and not hyphen_at(pieces, at + 1):
        is_inch = at + 1 == len(pieces) or mark_at(pieces, at + 1) or touches(pieces, at)
        return Following(_INCH, at + 1) if is_inch else None
    is_gee = first.lower == "g" and mark_at(pieces, at - 1) == "-" and pieces[start].kind == "word"
    unit = _GEE if is_gee else measure(_without_possessive(first.text))
    after = unit and _rate(pieces, unit, at + 1)
    return after and after._replace(singular=after.next == at + 1 and _is_singular(pieces, at))


def _without_possessive(word: str) -> str:
    """Return a word without the ending of a possessive: `1 week's rations` are of a week."""
    return word.removesuffix("'s").removesuffix("’s")


def _is_singular(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether a measure is a noun in the singular, which may be a label: `byte 8 bit 3`."""
    word = pieces[at].text
    is_noun = (len(word) > 3 and word[1:].islower()) or word in ("bit", "day")
    return is_noun and word[-1] not in "sz" and word not in ("feet", "percent") and not touches(pieces, at)


def _phrase(pieces: Sequence[Lexeme], at: int) -> Following | None:
    """`sq. ft.`, `cubic metres`, `per cent`, `degrees Celsius`."""
    word, after = pieces[at].lower, word_at(pieces, at + 1)
    if is_power(word):
        inner = at + 1 + (mark_at(pieces, at + 1) == ".")
        length = measure(pieces[inner].text) if word_at(pieces, inner) else None
        area = powered(word, length) if length else None
        return Following(area, inner + 1) if area else None
    if word == "per" and after == "cent":
        return Following(_PERCENT, at + 2)
    if word in ("degree", "degrees", "deg") and (scale := temperature(after)):
        return Following(scale, at + 2)
    return None


def _signed(pieces: Sequence[Lexeme], at: int, start: int) -> Following | None:
    sign = pieces[at].text
    unit = measure(sign)
    if unit is None or (sign in _QUOTES and not _is_length(pieces, at, start)):
        return None
    if sign == "°" and touches(pieces, at + 1) and (scale := temperature(word_at(pieces, at + 1))):
        return Following(scale, at + 2)
    return Following(unit, at + 1)


def _is_length(pieces: Sequence[Lexeme], at: int, start: int) -> bool:
    """Whether a quote after a number is a foot or an inch, unlike those in `'3'`, `the 3's` and `3 "x"`."""
    closes = mark_at(pieces, start - 1) in _QUOTES and not (start > 1 and pieces[start - 2].kind == "figure")
    return touches(pieces, at) and not closes and not (touches(pieces, at + 1) and word_at(pieces, at + 1))


def _rate(pieces: Sequence[Lexeme], unit: Unit, at: int) -> Following:
    """`metres per second`, `km/h`, `MB/s`, `m/s^2`: one measure over another."""
    below = measure(pieces[at + 1].text) if word_at(pieces, at + 1) else None
    if not below or unit.offset or not (mark_at(pieces, at) == "/" or word_at(pieces, at) == "per"):
        return Following(unit, at)
    name, after = f"{unit.name}/{below.name}", at + 2
    again, last = mark_at(pieces, after), pieces[after + 1].text if after + 1 < len(pieces) else ""
    if below.name == "second" and (again, last) in _SQUARED:
        return Following(Unit(f"{name}-squared", unit.factor / below.factor**2), after + 2)
    return Following(Unit(name, unit.factor / below.factor), after)


def _noun(pieces: Sequence[Lexeme], at: int, hyphen: bool) -> Following | None:
    piece = pieces[at]
    word = _without_possessive(piece.lower)
    if piece.kind != "word" or len(word) < 2 or not word.isalpha() or (touches(pieces, at) and not hyphen):
        return None
    if word in FUNCTION_WORDS or word in NUMBER_WORDS or not (hyphen or piece.text.islower()):
        return None
    noun = singular(word)
    return Following(Unit(noun), at + 1, noun == word)


_SIGNS = {"-": -1.0, "−": -1.0, "–": -1.0, "+": 1.0}
_SIGNED = frozenset({"figure", "slashed", "vulgar", "money"})
_GLUED = {"k": 1e3}
_GLUED_TO_MONEY = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9, "bn": 1e9}


class Amount(NamedTuple):
    """A number as written, its unit, and the indices of its first piece and of the piece after it."""

    value: float
    kind: Kind
    figures: str
    at: int
    bare_next: int
    """The index after the number without its unit."""
    next: int
    unit: Unit | None = None
    singular: bool = False
    """Whether the unit is a noun in the singular."""


def amount(pieces: Sequence[Lexeme], at: int, *, joined: bool = True) -> Amount | None:
    """Return the number at an index, or None if there is none, as in `H264`, `3D` and `which one`.

    With `joined`, following amounts in a smaller unit are added: `5 ft 10 in`, `1 hour and 30 minutes`.
    """
    whole = _simple(pieces, at, joined=joined)
    while whole and whole.unit and joined and whole.value.is_integer():
        position = whole.next
        position += mark_at(pieces, position) == "."
        position += word_at(pieces, position) == "and" or mark_at(pieces, position) == ","
        rest = _simple(pieces, position, joined=joined)
        if rest is None or not _is_rest(whole.unit, rest):
            break
        whole = _sum(whole, whole.unit, rest)
    return whole


def _is_rest(unit: Unit, rest: Amount) -> bool:
    same = rest.unit is not None and rest.unit.name == unit.name and not rest.unit.offset
    return same and rest.kind == "number" and 0 <= rest.value * (rest.unit or unit).factor < unit.factor


def _sum(whole: Amount, unit: Unit, rest: Amount) -> Amount:
    """Return the sum of both amounts in the unit of the first."""
    value = float(f"{whole.value + rest.value * (rest.unit or unit).factor / unit.factor:.15g}")
    return whole._replace(value=value, bare_next=rest.next, next=rest.next)


def _simple(pieces: Sequence[Lexeme], at: int, *, joined: bool) -> Amount | None:
    if at >= len(pieces):
        return None
    if pieces[at].kind in AS_TEXT:
        return Amount(nan, cast(Kind, pieces[at].kind), pieces[at].text, at, at + 1, at + 1)
    sign, position = _sign(pieces, at)
    money = None
    if position < len(pieces) and (
        pieces[position].kind == "money" or (pieces[position].kind == "times" and not _is_product(pieces, position))
    ):
        money, position = measure(pieces[position].text), position + 1
        if not sign:
            sign, position = _sign(pieces, position)
    read = numeral(pieces, position, joined=joined)
    if read is None or ((sign or money) and not read.figures):
        return None
    read = _with_letter(pieces, read, money is not None)
    bare = _past_gloss(pieces, read.next)
    after = Following(money, bare) if money else _unit(pieces, read._replace(next=bare), position)
    if not after.unit and word_at(pieces, bare) and touches(pieces, bare):
        return None
    value = read.value * (sign or 1.0)
    return Amount(value, read.kind, read.figures, at, bare, after.next, after.unit, after.singular)


def _unit(pieces: Sequence[Lexeme], read: Numeral, start: int) -> Following:
    after = following(pieces, read.next, start, ordinal=read.kind == "ordinal")
    return of_measure(pieces, read.next) if after.unit is None and read.kind == "fraction" else after


def _sign(pieces: Sequence[Lexeme], at: int) -> tuple[float, int]:
    """Return the sign at an index, 0 for none, and the next index. A dash after letters or digits is not a sign."""
    sign = _SIGNS.get(mark_at(pieces, at), 0.0)
    if not sign or not touches(pieces, at + 1) or pieces[at + 1].kind not in _SIGNED:
        return 0.0, at
    if touches(pieces, at) and (pieces[at - 1].kind != "mark" or pieces[at - 1].text in "%°'\")]"):
        return 0.0, at
    return sign, at + 1


def _is_product(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether `×` is between two numbers, as in `10 × 20 ft`, rather than before one."""
    return at > 0 and (pieces[at - 1].kind == "figure" or touches(pieces, at))


def _with_letter(pieces: Sequence[Lexeme], read: Numeral, is_money: bool) -> Numeral:
    """`10k`, `$5M`: a multiplier of one letter, glued to the figures."""
    if read.figures and touches(pieces, read.next) and read.next < len(pieces):
        factor = (_GLUED_TO_MONEY if is_money else _GLUED).get(pieces[read.next].text)
        if factor:
            return read._replace(value=read.value * factor, next=read.next + 1)
    return read


def _past_gloss(pieces: Sequence[Lexeme], at: int) -> int:
    """Return the index after one directly following word in brackets, as in `10(A)+`."""
    if (
        mark_at(pieces, at) == "("
        and touches(pieces, at)
        and word_at(pieces, at + 1)
        and mark_at(pieces, at + 2) == ")"
    ):
        return at + 3
    return at
