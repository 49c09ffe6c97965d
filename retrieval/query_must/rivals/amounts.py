"""Quantities with a unit: those that rows stand for, and those that a question says. `3.4 kg` is `over 3 to 4 kg`."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import isfinite

from retrieval.quantities import AS_TEXT, Quantity, quantities
from retrieval.quantities.columns import DEGREES, column_noun
from retrieval.quantities.measures import short_for
from retrieval.quantities.quantity import slack
from retrieval.quantities.words import NUMBERING
from retrieval.query_must.canonical.canonical import Canonical, canonical_term

_DECIMAL = ""
"""The unit of a number with a point and without one; a key of whole numbers holds none, for prices have points too."""
_HAIR = 1e-6
"""What a bound that is left out may differ from the number that is written."""
_PERCENT = "percent"
_DEGREE = "degree"
"""What degrees are in a question that names no scale: those of the table."""


@dataclass(frozen=True, slots=True)
class Amount:
    """An interval in the base unit of what it measures. Ends included; either may be infinite."""

    unit: str
    low: float
    high: float

    @property
    def is_step(self) -> bool:
        """Whether it is more than one value."""
        return self.high - self.low > 4 * (slack(self.low) + slack(self.high))

    def holds(self, other: "Amount") -> bool:
        """Whether the whole of another one lies in it. What counts something else lies in none."""
        return self.unit == other.unit and self.low <= other.low and other.high <= self.high


@dataclass(frozen=True, slots=True)
class SaidAmount:
    """One that a question says."""

    amount: Amount
    span: tuple[int, int]
    """The first of the question's tokens that say it, and the one after the last."""


def row_amounts(quantity: Quantity, column: str) -> Iterator[Amount]:
    """What a row stands for, a hair wider than written: two conversions of one value differ by a rounding error.

    Args:
        quantity: of its key, or of another step.
        column: the heading of that cell. `60` under `Points` are 60 points.
    """
    written = (quantity.written[0] - slack(quantity.written[0]), quantity.written[1] + slack(quantity.written[1]))
    if any(isfinite(end) and abs(end - round(end)) > _HAIR for end in quantity.written):
        yield Amount(_DECIMAL, *written)
    if quantity.unit is not None:
        yield Amount(quantity.unit, quantity.low - slack(quantity.low), quantity.high + slack(quantity.high))
    elif noun := column_noun(column):
        yield Amount(noun, *written)
    if quantity.unit == DEGREES:
        yield Amount(_DEGREE, *written)


def said_amounts(question: Canonical) -> tuple[SaidAmount, ...]:
    """The quantities with a unit that a question says, its decimals, and parts in words as percentages.

    They stand there as they stand alone; others cannot be told from words. A whole number without a unit may be
    anything.
    """
    return tuple(_said_amounts(question))


def known_unit(unit: str, units: Collection[str]) -> str:
    """What the tables that count in these units call one."""
    return next((each for each in short_for(unit) if each in units), unit)


def _said_amounts(question: Canonical) -> Iterator[SaidAmount]:
    after = 0
    for found in quantities(question.written):
        amount = _said_amount(found)
        run = tuple(canonical_term(found.text, question.vocabulary).split()) if amount else ()
        start = _find(question.tokens, run, after) if run else -1
        if amount and start >= 0:
            after = start + len(run)
            yield SaidAmount(amount, (start, after))


def _said_amount(found: Quantity) -> Amount | None:
    if found.kind in AS_TEXT:
        return None
    if found.unit is None and _is_part(found):
        return Amount(_PERCENT, 100 * found.low, 100 * found.high)
    return Amount(found.unit or _DECIMAL, found.low, found.high) if found.unit or _is_decimal(found) else None


def _is_part(found: Quantity) -> bool:
    """Whether it is a part in words, as `a quarter` of something: 25% of it."""
    return found.kind == "fraction" and not any(map(str.isdigit, found.text))


def _is_decimal(found: Quantity) -> bool:
    """Whether it is a number with a point that numbers nothing: not that of `Table 3.2` and `version 2.0`."""
    numbers_something = found.follows_name or found.label in NUMBERING
    return found.kind == "number" and "." in found.text and not numbers_something


def _find(tokens: tuple[str, ...], run: tuple[str, ...], after: int) -> int:
    places = range(after, len(tokens) - len(run) + 1)
    return next((place for place in places if tokens[place : place + len(run)] == run), -1)
