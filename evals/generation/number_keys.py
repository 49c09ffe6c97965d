"""Row keys that stand for whole numbers, and columns of dice."""

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"([-−–]?\d{1,4})(?:st|nd|rd|th)?")
_RANGE = re.compile(r"(\d{1,4})(?:st|nd|rd|th)?\s*[-–]\s*(\d{1,4})(?:st|nd|rd|th)?")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)\b")
_DICE = re.compile(r"\d*d(\d+|%)|(die |dice )?roll", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumberKey:
    """A row key that stands for whole numbers, both ends included."""

    low: int
    high: int

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high


def number_key(key: str) -> NumberKey | None:
    """The whole numbers that a key stands for (`7`, `9th`, `-3`, `5-8`, `96-00`), or None if it is a name."""
    text = key.strip()
    single = _NUMBER.fullmatch(text)
    if single:
        number = int(re.sub("[−–]", "-", single[1])) if text != "00" else 100
        return NumberKey(number, number)
    ends = _RANGE.fullmatch(text)
    if ends is None:
        return None
    # percentile dice write 100 as 00
    low, high = int(ends[1]), int(ends[2]) if ends[2] != "00" else 100
    return NumberKey(low, high) if low < high else None


def is_dice(column: str) -> bool:
    """Whether a column holds what is rolled: `d%`, `1d6`, `Die Roll`."""
    return _DICE.fullmatch(column.strip()) is not None


def is_ordinal(key: str) -> bool:
    """Whether a key is written `7th`: then people say so, too."""
    return _ORDINAL.match(key.strip()) is not None


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
