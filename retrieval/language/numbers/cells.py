"""The values of cells that are a number or a range."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isinf

from retrieval.language.lexicon import Way
from retrieval.language.numbers.quantity import Kind
from retrieval.language.numbers.reading import whole_quantity

_BETTER = re.compile(r"\s*(?P<bound>[-−–+]?[0-9]{1,15})\s*(?:or|and)\s+(?P<way>better|worse)\b[\s.*†‡]*", re.IGNORECASE)
_DECIMALS = re.compile(r"[0-9]\.[0-9]|0[xX]|\^|[0-9][eE][-+0-9]")
_HEX = re.compile(r"\s*(?:0[0-9A-F]+|[0-9][0-9A-F]*[A-F][0-9A-F]*)h\s*", re.IGNORECASE)
_OPPOSITE: dict[Way, Way] = {"higher": "lower", "lower": "higher", "": ""}
_INTEGER = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+|[-−]?\d+")
_DECIMAL = re.compile(r"[-−]?\d*\.\d+")
_NUMERIC = re.compile(
    r"(?:[-−–+×x]?\s*\d[\d,./]*|\d*d\d+(?:\s*[-+−x×]\s*\d+)?|[-−–—]+|n/?a|nil|[a-z])[*†‡%]?", re.IGNORECASE
)
MAX_DIGITS = 15
"""Most digits of a number that all JSON readers represent exactly."""
_ON_THE_LINE: frozenset[Kind] = frozenset({"number", "ordinal", "range", "open"})
MAX_EXPANDED = 100
"""Most values of a range that is enumerated."""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """An inclusive range; a missing bound is open. Both are missing if a cell's direction is unknown."""

    low: int | None
    high: int | None

    @property
    def values(self) -> tuple[int, ...]:
        """Every value, or none if a bound is open or there are more than 100."""
        if self.low is None or self.high is None or self.high - self.low >= MAX_EXPANDED:
            return ()
        return tuple(range(self.low, self.high + 1))


@lru_cache(maxsize=1 << 16)
def parse_range(text: str, better: Way = "") -> NumberRange | None:
    """Return the range of a text like `7`, `5-8`, `9th`, `10 to -10`, `13+`, `50-31 lb.`, `96-00`; None for others.

    Only whole numbers are read. `better` is the direction in which `2 or better` is open; if unknown, such a cell has
    no bounds.
    """
    if match := _BETTER.fullmatch(text):
        bound, way = integer(match["bound"]), _way_of(match["way"], better)
        return NumberRange(bound if way == "higher" else None, bound if way == "lower" else None)
    if _DECIMALS.search(text) or is_hex(text):
        return None
    quantity = whole_quantity(text)
    if quantity is None or quantity.kind not in _ON_THE_LINE or quantity.label is not None:
        return None
    if not any(map(str.isdigit, text)) and (quantity.unit or quantity.text != text.strip()):
        return None  # `one object`; `twenty-one to thirty` is a range
    low, high = quantity.written
    whole = all(end.is_integer() for end in (low, high) if not isinf(end))
    return NumberRange(_bound(low), _bound(high)) if whole and low <= high else None


def _bound(end: float) -> int | None:
    return None if isinf(end) else int(end)


def is_hex(text: str) -> bool:
    """Whether a text is a hexadecimal number as in manuals of chips: `0Dh`, `2Ch`, `00h`; `12h` may mean hours."""
    return bool(_HEX.fullmatch(text))


def _way_of(word: str, better: Way) -> Way:
    """Return the direction of `better` or `worse`."""
    return better if word.lower() == "better" else _OPPOSITE[better]


def way_that_is_better(texts: Sequence[str], told: Way = "") -> Way:
    """Return the direction of `2 or better` in a column: the label's, or away from the column's other numbers.

    Empty if neither is known, or if they contradict each other, because a bound on the wrong side hides the row.
    """
    ways = {told} - {""}
    for position, text in enumerate(texts):
        if match := _BETTER.fullmatch(text):
            way = _way_out(integer(match["bound"]), [*texts[:position], *texts[position + 1 :]])
            ways |= {_way_of(match["way"], way)} - {""}
    return ways.pop() if len(ways) == 1 else ""


def _way_out(bound: int, others: Sequence[str]) -> Way:
    """Return the direction from a number in which there is no other key."""
    numbers = [number for text in others for number in _bounds(parse_range(text))]
    if not numbers or min(numbers) <= bound <= max(numbers):
        return ""
    return "higher" if max(numbers) < bound else "lower"


def _bounds(spread: NumberRange | None) -> tuple[int, ...]:
    return () if spread is None else tuple(end for end in (spread.low, spread.high) if end is not None)


def integer(digits: str) -> int:
    """Return the value of `-2`, `−2` (minus sign), `+3` or `1,100`."""
    return int(digits.replace(",", "").replace("−", "-").replace("–", "-"))


def typed(text: str) -> str | int | float:
    """Return a cell as int or float if that prints as the same text; `3.10`, `-007` and 20 digits remain text."""
    cell = text.strip()
    plain = cell.replace("−", "-")
    if len(plain) > MAX_DIGITS:
        return cell
    if _INTEGER.fullmatch(cell):
        whole = integer(cell)
        return whole if plain in (str(whole), f"{whole:,}") else cell
    if _DECIMAL.fullmatch(cell) and plain == str(float(plain)):
        return float(plain)
    return cell


def is_numeric(text: str) -> bool:
    """Whether a text is a number, dice, a dash, a percentage or a single letter, as in the body of a matrix."""
    return bool(_NUMERIC.fullmatch(text.strip()))
