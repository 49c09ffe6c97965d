"""A quantity as it was read, and whether one lies in another."""

from dataclasses import dataclass
from math import isinf
from typing import Literal

Kind = Literal["number", "ordinal", "fraction", "range", "open", "sum", "dice", "version", "date", "time", "ratio"]

AS_TEXT: frozenset[Kind] = frozenset({"dice", "version", "date", "time", "ratio"})
"""Kinds that have no place on the line of numbers: they match their own spelling alone."""


ROUNDING = 1e-12
"""What two conversions of one value may differ by, as a part of it."""

_SAME = str.maketrans({"−": "-", "–": "-", "×": "x", "*": "x"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """An interval on the line of numbers, with what it counts.

    `low` and `high` are in the base unit of their dimension, as seconds; `written` holds the same ends in the unit that
    the text uses. A bare number is compared with `written`: the `90` of a question may mean the `90 minutes` of a cell,
    and not its 5400 seconds.
    """

    low: float
    """The smallest value; -inf where the interval is open downwards, and not a number for a kind of `AS_TEXT`."""
    high: float
    """The largest value; a hair below the bound where the text leaves the bound out (`under 5`)."""
    unit: str | None
    """The base unit (`second`, `metre`, `percent`), or the noun that follows, singular; None for a bare number."""
    kind: Kind
    start: int
    """The first character in the text that was read."""
    end: int
    """The character after the last."""
    text: str
    """As written, with its unit."""
    written: tuple[float, float]
    """Both ends in the unit of the text."""
    label: str | None = None
    """The word that numbers it, lower case and singular: `level` of `levels 3-5`, `score` of `a score of nineteen`."""
    follows_name: bool = False
    """It stands directly after a name, as in `MAVLink 2`: then it may be a part of the name."""


def holds(cell: Quantity, asked: Quantity) -> bool:
    """Whether the asked number, or the whole of the asked range, lies in the cell's interval.

    Units that differ contradict; a bare number contradicts no unit. A half lies in `46%–55%`. Dice, versions, dates,
    times and ratios hold their own spelling alone.
    """
    if cell.kind in AS_TEXT or asked.kind in AS_TEXT:
        return cell.kind == asked.kind and spelling(cell.text) == spelling(asked.text)
    if cell.unit == asked.unit:
        return _within((cell.low, cell.high), asked.low, asked.high)
    if cell.unit == "percent" and asked.unit is None and asked.kind == "fraction":
        return _within((cell.low, cell.high), asked.low * 100, asked.high * 100)
    if asked.unit == "percent" and cell.unit is None and cell.kind == "fraction":
        return _within((cell.low * 100, cell.high * 100), asked.low, asked.high)
    if cell.unit is None or asked.unit is None or cell.unit == asked.label or asked.unit == cell.label:
        return _within(cell.written, *asked.written)
    return False


def _within(ends: tuple[float, float], low: float, high: float) -> bool:
    return ends[0] - slack(ends[0]) <= low and high <= ends[1] + slack(ends[1])


def slack(end: float) -> float:
    """How far a number may be off an end of an interval and still be that end."""
    return 0.0 if isinf(end) else abs(end) * ROUNDING


def beyond(bound: float) -> float:
    """The least value that counts as more than a bound: nearer ones may be the bound itself in another unit."""
    return bound + max(abs(bound), 1.0) * ROUNDING * 10


def spelling(text: str) -> str:
    """The text of a quantity that matches its own spelling alone, without what its spellings differ in."""
    folded = "".join(text.lower().split()).translate(_SAME)
    return "1" + folded if folded.startswith("d") else folded.removeprefix("v")
