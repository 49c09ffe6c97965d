"""What a number token says, and how a range of numbers is spelled out."""

from math import inf, isnan, nan
from typing import NamedTuple

from retrieval.query_must.tokens import Token, plain, worth
from retrieval.query_must.vocabulary.words import Label

MOST_VALUES = 100
"""A longer range keeps its two ends and an interval."""


class Numeral(NamedTuple):
    """A number as canonical text says it."""

    text: str
    value: float
    plain: bool
    """A cardinal that stands for itself; an ordinal or a fraction is none."""


def numerals(token: Token, label: Label, *, one_reading: bool) -> tuple[Numeral, ...]:
    """Return what a number token says beside a label; number words become figures, ordinals lose their ending.

    `7/8` is a fraction beside a label that takes fractions (`CR 1/4`); beside another it is a list as well.
    """
    if token.kind in ("spelled", "ordinal"):
        return (Numeral(f"{token.value:.0f}", token.value, not token.ordinal),)
    if token.glue not in ("fraction", "slashed") or label.fractions:
        return (Numeral(token.text, token.value, token.kind == "number"),)
    whole = Numeral(token.text, nan, plain=False)
    parts = token.text.split("/")
    if one_reading or not all(part.isdigit() for part in parts):
        return (whole,)
    return (*(Numeral(plain(part), worth(plain(part)), plain=True) for part in parts), whole)


def spell_out(first: Numeral, last: Numeral) -> tuple[tuple[Numeral, ...], tuple[tuple[float, float], ...]]:
    """Return the values after `first` up to `last`, and the interval where they are too many or not whole."""
    low, high = sorted((first.value, last.value))
    if isnan(low) or isnan(high):
        return (last,), ()
    if not (low.is_integer() and high.is_integer()) or high - low >= MOST_VALUES:
        return (last,), ((low, high),)
    step = 1 if last.value >= first.value else -1
    cardinal = first.plain and last.plain
    values = range(int(first.value) + step, int(last.value) + step, step) if low != high else ()
    return tuple(Numeral(str(value), float(value), cardinal) for value in values), ()


def bound(value: float, way: str) -> tuple[float, float]:
    """Return the interval that opens from a value upwards or downwards."""
    return (value, inf) if way == "higher" else (-inf, value)
