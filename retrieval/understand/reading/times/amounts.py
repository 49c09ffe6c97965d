"""How long: `two weeks`, `a couple of years`, `half a year`, `two and a half years`, `a year and a half`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from retrieval.quantities.numerals import Numeral, numeral
from retrieval.quantities.pieces import pieces
from retrieval.quantities.words import CARDINALS, NUMBER_WORDS
from retrieval.understand.reading.times.spans import before, is_number

_VAGUE = {"couple": 2.0, "few": 3.0, "several": 3.0}
"""What these are at least."""
_ARTICLES = frozenset({"a", "an"})
COUNTING = _ARTICLES | _VAGUE.keys() | CARDINALS.keys()
"""Words that things are counted with."""
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_MONTH = 30
"""Days of a part of a month."""
_LONGEST = 12_000
"""Months."""
_FIGURES = 3
"""A number of more is a year: `2019 weeks` are weeks of 2019."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time in days and months, and how many words say it."""

    days: int
    months: int
    length: int

    def ago(self, today: date) -> date:
        """The day so long before."""
        return before(today, days=self.days, months=self.months)

    def ahead(self, today: date) -> date:
        """The day so long after."""
        return before(today, days=-self.days, months=-self.months)


def amount(said: Sequence[str]) -> Amount | None:
    """The length of time that words begin with; None where they begin with none, as a unit without a number does."""
    number, used = count(said)
    unit = _unit(said[used]) if number and len(said) > used else None
    if not number or not unit:
        return None
    halves = list(said[used + 1 : used + 4]) == ["and", "a", "half"]
    return _amount(number + halves / 2, unit, used + 1 + 3 * halves)


def one(said: str) -> Amount | None:
    """One of a unit that stands without a number: `the past month`."""
    unit = _unit(said)
    return _amount(1, unit, 1) if unit else None


def count(said: Sequence[str]) -> tuple[float | None, int]:
    """A number of something and how many words say it: 2.5 of `two and a half years`.

    Args:
        said: words in small letters; a hyphen is one.
    """
    article = bool(said) and said[0] in _ARTICLES
    if _says(said, article, _VAGUE):
        return _VAGUE[said[article]], article + 1 + _says(said, article + 1, ("of",))
    begins = bool(said) and (article or said[0] in NUMBER_WORDS or said[0][0].isdigit())
    read = numeral(pieces(" ".join(said).replace(" - ", "-")), 0, joined=True) if begins else None
    if read is None or read.kind == "ordinal" or (len(read.figures) > _FIGURES and is_number(read.figures)):
        return (1.0, 1) if article else (None, 0)
    of = read.next + _says(said, read.next, ("of",))
    return (read.value, of) if read.kind != "fraction" else _part(said, read, of)


def _part(said: Sequence[str], read: Numeral, of: int) -> tuple[float | None, int]:
    """A part of one: `half a year`, `three quarters of a year`; `three quarters ago` are three."""
    unit = of + _says(said, of, _ARTICLES)
    if len(said) > unit and _unit(said[unit]):
        return read.value, unit
    whole = numeral(pieces(said[0]), 0, joined=False)
    return (whole.value, 1) if whole else (None, 0)


def _says(said: Sequence[str], at: int, words: Collection[str]) -> bool:
    return at < len(said) and said[at] in words


def _amount(number: float, unit: str, length: int) -> Amount | None:
    """So many of a unit; None of what is less than a day, or longer than anybody counts back."""
    days, months = number * _DAYS.get(unit, 0), number * _MONTHS.get(unit, 0)
    if max(days / _MONTH, months) > _LONGEST:
        return None
    whole = Amount(round(days + months % 1 * _MONTH), int(months), length)
    return whole if whole.days or whole.months else None


def _unit(said: str) -> str | None:
    single = said.removesuffix("s") if said != "centuries" else "century"
    return single if single in _DAYS or single in _MONTHS else None
