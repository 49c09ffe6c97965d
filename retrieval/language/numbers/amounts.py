"""One number with sign, currency and unit."""

from collections.abc import Sequence
from math import nan
from typing import NamedTuple, cast

from retrieval.language.numbers.numerals import Numeral, Piece, hyphen_at, mark_at, numeral, touches, word_at
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
    """A unit, or none, and the place of the piece after it."""

    unit: Unit | None
    next: int
    singular: bool = False
    """A noun of the text in the singular: after a label it belongs to what comes next (`level 9 fighter`)."""


def following(found: Sequence[Piece], at: int, start: int, *, ordinal: bool = False) -> Following:
    """Read the unit at the place after a number; `start` is the place of the number's first piece."""
    nothing = Following(None, at)
    if at >= len(found):
        return nothing
    hyphen = hyphen_at(found, at)
    position = at + hyphen
    if position >= len(found):
        return nothing
    if ordinal:
        return _noun(found, position, hyphen) or nothing
    return (
        _measured(found, position, start) or _bracketed(found, at, start) or _noun(found, position, hyphen) or nothing
    )


def _bracketed(found: Sequence[Piece], at: int, start: int) -> Following | None:
    """`40 [mA]`."""
    inner = _measured(found, at + 1, start) if mark_at(found, at) == "[" and at + 1 < len(found) else None
    return inner._replace(next=inner.next + 1) if inner and mark_at(found, inner.next) == "]" else None


def of_measure(found: Sequence[Piece], at: int) -> Following:
    """The measure after a part: `an hour` of `half an hour`, `of a mile` of `a quarter of a mile`."""
    position = at + (word_at(found, at) == "of")
    position += word_at(found, position) in ("a", "an", "the")
    position += hyphen_at(found, position)
    return (position < len(found) and _measured(found, position, at)) or Following(None, at)


def _measured(found: Sequence[Piece], at: int, start: int) -> Following | None:
    first = found[at]
    if first.kind == "mark":
        return _signed(found, at, start)
    if first.kind != "word":
        return None
    if phrase := _phrase(found, at):
        return phrase
    if first.lower == "in" and not hyphen_at(found, at + 1):
        is_inch = at + 1 == len(found) or mark_at(found, at + 1) or touches(found, at)
        return Following(_INCH, at + 1) if is_inch else None
    is_gee = first.lower == "g" and mark_at(found, at - 1) == "-" and found[start].kind == "word"
    unit = _GEE if is_gee else measure(first.text)
    after = unit and _rate(found, unit, at + 1)
    return after and after._replace(singular=after.next == at + 1 and _is_singular(found, at))


def _is_singular(found: Sequence[Piece], at: int) -> bool:
    """Whether a measure is a noun that would have a plural, so that it is free to begin `byte 8 bit 3`."""
    word = found[at].text
    is_noun = len(word) > 3 or word in ("bit", "day")
    return is_noun and word[-1] not in "sz" and word not in ("feet", "percent") and not touches(found, at)


def _phrase(found: Sequence[Piece], at: int) -> Following | None:
    """`sq. ft.`, `cubic metres`, `per cent`, `degrees Celsius`."""
    word, after = found[at].lower, word_at(found, at + 1)
    if is_power(word):
        inner = at + 1 + (mark_at(found, at + 1) == ".")
        length = measure(found[inner].text) if word_at(found, inner) else None
        area = powered(word, length) if length else None
        return Following(area, inner + 1) if area else None
    if word == "per" and after == "cent":
        return Following(_PERCENT, at + 2)
    if word in ("degree", "degrees", "deg") and (scale := temperature(after)):
        return Following(scale, at + 2)
    return None


def _signed(found: Sequence[Piece], at: int, start: int) -> Following | None:
    sign = found[at].text
    unit = measure(sign)
    if unit is None or (sign in _QUOTES and not _is_length(found, at, start)):
        return None
    if sign == "°" and touches(found, at + 1) and (scale := temperature(word_at(found, at + 1))):
        return Following(scale, at + 2)
    return Following(unit, at + 1)


def _is_length(found: Sequence[Piece], at: int, start: int) -> bool:
    """Whether a quote after a number is a foot or an inch: it is none in `'3'`, `the 3's` and `3 "x"`."""
    closes = mark_at(found, start - 1) in _QUOTES and not (start > 1 and found[start - 2].kind == "figure")
    return touches(found, at) and not closes and not (touches(found, at + 1) and word_at(found, at + 1))


def _rate(found: Sequence[Piece], unit: Unit, at: int) -> Following:
    """`metres per second`, `km/h`, `MB/s`, `m/s^2`: one measure over another."""
    below = measure(found[at + 1].text) if word_at(found, at + 1) else None
    if not below or unit.offset or not (mark_at(found, at) == "/" or word_at(found, at) == "per"):
        return Following(unit, at)
    name, after = f"{unit.name}/{below.name}", at + 2
    again, last = mark_at(found, after), found[after + 1].text if after + 1 < len(found) else ""
    if below.name == "second" and (again, last) in _SQUARED:
        return Following(Unit(f"{name}-squared", unit.factor / below.factor**2), after + 2)
    return Following(Unit(name, unit.factor / below.factor), after)


def _noun(found: Sequence[Piece], at: int, hyphen: bool) -> Following | None:
    piece = found[at]
    word = piece.lower
    if piece.kind != "word" or len(word) < 2 or not word.isalpha() or (touches(found, at) and not hyphen):
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
    """A number as written, its unit, and the places of its first piece and of the piece after it."""

    value: float
    kind: Kind
    figures: str
    at: int
    bare_next: int
    """The place after the number alone."""
    next: int
    unit: Unit | None = None
    singular: bool = False
    """The unit is a noun of the text, in the singular."""


def amount(found: Sequence[Piece], at: int, *, joined: bool = True) -> Amount | None:
    """Read one number at a place; None where there is none, as in `H264`, `3D` and `which one`.

    With `joined`, what follows in a smaller unit belongs to it: `5 ft 10 in`, `1 hour and 30 minutes`.
    """
    whole = _simple(found, at, joined=joined)
    while whole and whole.unit and joined and whole.value.is_integer():
        position = whole.next
        position += mark_at(found, position) == "."
        position += word_at(found, position) == "and" or mark_at(found, position) == ","
        rest = _simple(found, position, joined=joined)
        if rest is None or not _is_rest(whole.unit, rest):
            break
        whole = _sum(whole, whole.unit, rest)
    return whole


def _is_rest(unit: Unit, rest: Amount) -> bool:
    same = rest.unit is not None and rest.unit.name == unit.name and not rest.unit.offset
    return same and rest.kind == "number" and 0 <= rest.value * (rest.unit or unit).factor < unit.factor


def _sum(whole: Amount, unit: Unit, rest: Amount) -> Amount:
    """Both amounts in the unit of the first, up to the end of the second; only a whole one goes on."""
    value = float(f"{whole.value + rest.value * (rest.unit or unit).factor / unit.factor:.15g}")
    return whole._replace(value=value, bare_next=rest.next, next=rest.next)


def _simple(found: Sequence[Piece], at: int, *, joined: bool) -> Amount | None:
    if at >= len(found):
        return None
    if found[at].kind in AS_TEXT:
        return Amount(nan, cast(Kind, found[at].kind), found[at].text, at, at + 1, at + 1)
    sign, position = _sign(found, at)
    money = None
    if position < len(found) and (
        found[position].kind == "money" or (found[position].kind == "times" and not _is_product(found, position))
    ):
        money, position = measure(found[position].text), position + 1
        if not sign:
            sign, position = _sign(found, position)
    read = numeral(found, position, joined=joined)
    if read is None or ((sign or money) and not read.figures):
        return None
    read = _multiplied(found, read, money is not None)
    bare = _past_gloss(found, read.next)
    after = Following(money, bare) if money else _unit(found, read._replace(next=bare), position)
    if not after.unit and word_at(found, bare) and touches(found, bare):
        return None
    value = read.value * (sign or 1.0)
    return Amount(value, read.kind, read.figures, at, bare, after.next, after.unit, after.singular)


def _unit(found: Sequence[Piece], read: Numeral, start: int) -> Following:
    after = following(found, read.next, start, ordinal=read.kind == "ordinal")
    return of_measure(found, read.next) if after.unit is None and read.kind == "fraction" else after


def _sign(found: Sequence[Piece], at: int) -> tuple[float, int]:
    """The sign at a place, 0 for none. A dash that hangs on letters or figures is none: `level-3`, `COVID-19`."""
    sign = _SIGNS.get(mark_at(found, at), 0.0)
    if not sign or not touches(found, at + 1) or found[at + 1].kind not in _SIGNED:
        return 0.0, at
    if touches(found, at) and (found[at - 1].kind != "mark" or found[at - 1].text in "%°'\")]"):
        return 0.0, at
    return sign, at + 1


def _is_product(found: Sequence[Piece], at: int) -> bool:
    """Whether `×` stands between two numbers, as in `10 × 20 ft`, and not before one."""
    return at > 0 and (found[at - 1].kind == "figure" or touches(found, at))


def _multiplied(found: Sequence[Piece], read: Numeral, is_money: bool) -> Numeral:
    """`10k`, `$5M`: a multiplier of one letter, glued to the figures."""
    if read.figures and touches(found, read.next) and read.next < len(found):
        factor = (_GLUED_TO_MONEY if is_money else _GLUED).get(found[read.next].text)
        if factor:
            return read._replace(value=read.value * factor, next=read.next + 1)
    return read


def _past_gloss(found: Sequence[Piece], at: int) -> int:
    """The place after one glued word in brackets, as in `10(A)+`."""
    if mark_at(found, at) == "(" and touches(found, at) and word_at(found, at + 1) and mark_at(found, at + 2) == ")":
        return at + 3
    return at
