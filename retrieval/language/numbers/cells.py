"""What a cell says when it is a number or a range."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.language.lexicon import Way

_DASH = r"(?:-|–|—|−|\bto\b)"
_LONG_DASH = re.compile(r"^(\s*\d[\d,]*(?:st|nd|rd|th)?\s*)-{2,3}(?=\s*\d)")
"""`1--3`: a dash as Pandoc and TeX write it. After a sign (`-2--5`) the second one may be a sign too."""
_NUMBER = r"(?P<{0}>[-−–+]?\d{{1,3}}(?:,\d{{3}}){{1,5}}|[-−–+]?\d{{1,18}})"
_RANGE = re.compile(
    rf"\s*{_NUMBER.format('low')}(?P<ordinal>st|nd|rd|th)?\s*{_DASH}\s*{_NUMBER.format('high')}(?P<rest>.*)"
)
_OPEN = re.compile(
    rf"\s*{_NUMBER.format('low')}(?:st|nd|rd|th)?\s*(?:\+|(?:or|and)\s+(?P<way>[^\W\d]+)\b)(?P<rest>.*)", re.IGNORECASE
)
_EITHER = re.compile(
    rf"\s*{_NUMBER.format('low')}\s*(?:or|and|&)\s*{_NUMBER.format('high')}(?P<rest>.*)", re.IGNORECASE
)
_HEX = re.compile(r"\s*(?:0[0-9A-F]+|[0-9][0-9A-F]*[A-F][0-9A-F]*)h\s*", re.IGNORECASE)
_SINGLE = re.compile(rf"\s*{_NUMBER.format('low')}(?P<ordinal>st|nd|rd|th)?(?P<rest>.*)")
_REST = re.compile(r"[.)]|\s*(?:%|[*†‡§]+|st|nd|rd|th)?\s*(?:[a-z]{1,12}\.?)?\s*[*†‡]?", re.IGNORECASE)
_DOWNWARDS = frozenset({"less", "lower", "below", "fewer", "under"})
_OPPOSITE: dict[Way, Way] = {"higher": "lower", "lower": "higher", "": ""}
_INTEGER = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+|[-−]?\d+")
_DECIMAL = re.compile(r"[-−]?\d*\.\d+")
_NUMERIC = re.compile(
    r"(?:[-−–+×x]?\s*\d[\d,./]*|\d*d\d+(?:\s*[-+−x×]\s*\d+)?|[-−–—]+|n/?a|nil|[a-z])[*†‡%]?", re.IGNORECASE
)
MAX_DIGITS = 15
"""A longer number is no longer the same in every reader of JSON."""
PERCENTILE_HUNDRED = "00"
MAX_EXPANDED = 100
"""A range of more values than this stays a range."""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """An inclusive range; a missing bound is open. Both are missing where a cell does not say which way it opens."""

    low: int | None
    high: int | None

    @property
    def values(self) -> tuple[int, ...]:
        """Every value, or none if a bound is open or there are more than 100."""
        if self.low is None or self.high is None or self.high - self.low >= MAX_EXPANDED:
            return ()
        return tuple(range(self.low, self.high + 1))


def parse_range(text: str, better: Way = "") -> NumberRange | None:
    """`7`, `5-8`, `9th`, `10 to -10`, `13+`, `50-31 lb.`, `96-00`; None if the text is neither a number nor a range.

    `2 or 3` is a range, for there is nothing between. `better` is the way in which `2 or better` opens; while nobody
    knows it, that cell has no bound at all.
    """
    text = _LONG_DASH.sub(r"\1–", text, count=1) if "--" in text else text
    match = _RANGE.fullmatch(text) or _EITHER.fullmatch(text)
    if match and (match.re is _RANGE or integer(match["high"]) == integer(match["low"]) + 1):
        if not _REST.fullmatch(match["rest"]):
            return None
        low, high = integer(match["low"]), integer(match["high"])
        if match["high"].lstrip("-−–+") == PERCENTILE_HUNDRED and low > 0:
            high = 100
        return NumberRange(min(low, high), max(low, high))
    if match := _OPEN.fullmatch(text):
        if match["rest"].strip(" .*†‡%") not in ("", "lb", "hp", "gp"):
            return None
        return _open_range(integer(match["low"]), (match["way"] or "").lower(), better)
    if (match := _SINGLE.fullmatch(text)) and _REST.fullmatch(match["rest"]) and not is_hex(text):
        value = 100 if match["low"] == PERCENTILE_HUNDRED else integer(match["low"])
        return NumberRange(value, value)
    return None


def is_hex(text: str) -> bool:
    """`0Dh`, `2Ch`, `00h`: a number in hexadecimal figures, as manuals of chips write it; `12h` may be hours."""
    return bool(_HEX.fullmatch(text))


def _open_range(bound: int, word: str, better: Way) -> NumberRange:
    way: Way = "lower" if word in _DOWNWARDS else "higher"
    if word in ("better", "worse"):
        way = better if word == "better" else _OPPOSITE[better]
    return NumberRange(bound if way == "higher" else None, bound if way == "lower" else None)


def way_that_is_better(texts: Sequence[str], told: Way = "") -> Way:
    """Which way `2 or better` opens in a column: as the label tells, or away from the column's other numbers.

    Empty where neither tells, and where they contradict each other: a bound on the wrong side hides the row.
    """
    ways = {told} - {""}
    for position, text in enumerate(texts):
        match = _OPEN.fullmatch(text)
        word = (match["way"] or "").lower() if match else ""
        if match and word in ("better", "worse"):
            way = _way_out(integer(match["low"]), [*texts[:position], *texts[position + 1 :]])
            ways |= {way if word == "better" else _OPPOSITE[way]} - {""}
    return ways.pop() if len(ways) == 1 else ""


def _way_out(bound: int, others: Sequence[str]) -> Way:
    """The way from a number in which there is no other key."""
    numbers = [number for text in others for number in _bounds(parse_range(text))]
    if not numbers or min(numbers) <= bound <= max(numbers):
        return ""
    return "higher" if max(numbers) < bound else "lower"


def _bounds(spread: NumberRange | None) -> tuple[int, ...]:
    return () if spread is None else tuple(end for end in (spread.low, spread.high) if end is not None)


def integer(digits: str) -> int:
    """The number of `-2`, `−2` (minus sign), `+3` or `1,100`."""
    return int(digits.replace(",", "").replace("−", "-").replace("–", "-"))


def typed(text: str) -> str | int | float:
    """A cell as int or float where that prints as the cell again; `3.10`, `-007` and 20 digits stay text."""
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
    """Numbers, dice, dashes, percentages and single letters: what fills the body of a matrix."""
    return bool(_NUMERIC.fullmatch(text.strip()))
