"""What a number counts: the unit or the noun that follows it."""

from collections.abc import Sequence
from typing import NamedTuple

from retrieval.quantities.measures import Unit, is_power, measure, powered, temperature
from retrieval.quantities.pieces import Piece, hyphen_at, mark_at, touches, word_at
from retrieval.quantities.words import FUNCTION_WORDS, NUMBER_WORDS, singular

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
    place = at + hyphen
    if place >= len(found):
        return nothing
    if ordinal:
        return _noun(found, place, hyphen) or nothing
    return _measured(found, place, start) or _bracketed(found, at, start) or _noun(found, place, hyphen) or nothing


def _bracketed(found: Sequence[Piece], at: int, start: int) -> Following | None:
    """`40 [mA]`."""
    inner = _measured(found, at + 1, start) if mark_at(found, at) == "[" and at + 1 < len(found) else None
    return inner._replace(next=inner.next + 1) if inner and mark_at(found, inner.next) == "]" else None


def of_measure(found: Sequence[Piece], at: int) -> Following:
    """The measure after a part: `an hour` of `half an hour`, `of a mile` of `a quarter of a mile`."""
    place = at + (word_at(found, at) == "of")
    place += word_at(found, place) in ("a", "an", "the")
    place += hyphen_at(found, place)
    return (place < len(found) and _measured(found, place, at)) or Following(None, at)


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
