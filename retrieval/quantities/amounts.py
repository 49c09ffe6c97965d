"""One number with its sign, currency and unit, before it becomes an end of an interval."""

from collections.abc import Sequence
from math import nan
from typing import NamedTuple, cast

from retrieval.quantities.following import Following, following, of_measure
from retrieval.quantities.measures import Unit, measure
from retrieval.quantities.numerals import Numeral, numeral
from retrieval.quantities.pieces import Piece, mark_at, touches, word_at
from retrieval.quantities.quantity import AS_TEXT, Kind

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
        place = whole.next
        place += mark_at(found, place) == "."
        place += word_at(found, place) == "and" or mark_at(found, place) == ","
        rest = _simple(found, place, joined=joined)
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
    sign, place = _sign(found, at)
    money = None
    if place < len(found) and (
        found[place].kind == "money" or (found[place].kind == "times" and not _is_product(found, place))
    ):
        money, place = measure(found[place].text), place + 1
        if not sign:
            sign, place = _sign(found, place)
    read = numeral(found, place, joined=joined)
    if read is None or ((sign or money) and not read.figures):
        return None
    read = _multiplied(found, read, money is not None)
    bare = _past_gloss(found, read.next)
    after = Following(money, bare) if money else _unit(found, read._replace(next=bare), place)
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
