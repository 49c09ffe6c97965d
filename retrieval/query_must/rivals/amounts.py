"""Quantities with a unit: those that rows stand for, and those that a question says. `3.4 kg` is `over 3 to 4 kg`."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isinf

from retrieval.quantities import AS_TEXT, Quantity, quantities
from retrieval.quantities.quantity import ROUNDING
from retrieval.query_must.canonical.canonical import Canonical, canonical_term


@dataclass(frozen=True, slots=True)
class Amount:
    """An interval in the base unit of what it measures. Ends included; either may be infinite."""

    unit: str
    low: float
    high: float

    def holds(self, other: "Amount") -> bool:
        """Whether the whole of another one lies in it. What counts something else lies in none."""
        return self.unit == other.unit and self.low <= other.low and other.high <= self.high


@dataclass(frozen=True, slots=True)
class SaidAmount:
    """One that a question says."""

    amount: Amount
    start: int
    stop: int
    """The tokens start .. stop - 1 of the question say it."""


def row_amount(quantity: Quantity) -> Amount | None:
    """What a row stands for, a hair wider than written; None for a bare number, a die, a date.

    Two conversions of one value differ by a rounding error: 500 g are in `up to 0.5 kg`.
    """
    if quantity.unit is None or quantity.kind in AS_TEXT:
        return None
    return Amount(quantity.unit, quantity.low - _slack(quantity.low), quantity.high + _slack(quantity.high))


def said_amounts(question: Canonical) -> tuple[SaidAmount, ...]:
    """The quantities with a unit that stand in a question as they stand alone; the others are not told from words."""
    return tuple(_said_amounts(question))


def _said_amounts(question: Canonical) -> Iterator[SaidAmount]:
    after = 0
    for found in quantities(question.written):
        if found.unit is None or found.kind in AS_TEXT:
            continue
        run = tuple(canonical_term(found.text, question.vocabulary).split())
        start = _find(question.tokens, run, after) if run else -1
        if start >= 0:
            after = start + len(run)
            yield SaidAmount(Amount(found.unit, found.low, found.high), start, after)


def _find(tokens: tuple[str, ...], run: tuple[str, ...], after: int) -> int:
    places = range(after, len(tokens) - len(run) + 1)
    return next((place for place in places if tokens[place : place + len(run)] == run), -1)


def _slack(end: float) -> float:
    return 0.0 if isinf(end) else abs(end) * ROUNDING
