"""How long: `two weeks`, `a couple of years`, `half a year`, `a year and a half`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from retrieval.understand.reading.times.spans import before, is_number

NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "several": 3, "four": 4, "five": 5}
NUMBERS |= {"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
NUMBERS |= {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}


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
    if list(said[:2]) in (["half", "a"], ["half", "an"]) and len(said) > 2:
        whole = _unit(said[2])
        return Amount(0, _MONTHS[whole] // 2, 3) if whole and _MONTHS.get(whole, 0) > 1 else None
    number, used = count(said)
    unit = _unit(said[used]) if number and len(said) > used else None
    if not number or not unit:
        return None
    halves = list(said[used + 1 : used + 4]) == ["and", "a", "half"]
    months = number * _MONTHS.get(unit, 0) + (_MONTHS.get(unit, 0) // 2 if halves else 0)
    return Amount(number * _DAYS.get(unit, 0), months, used + 1 + (3 if halves else 0))


def one(said: str) -> Amount | None:
    """One of a unit that stands without a number: `the past month`."""
    unit = _unit(said)
    return Amount(_DAYS.get(unit, 0), _MONTHS.get(unit, 0), 1) if unit else None


def count(said: Sequence[str]) -> tuple[int | None, int]:
    """A number of something and how many words say it."""
    if not said:
        return None, 0
    if is_number(said[0]) and len(said[0]) < 4:
        return int(said[0]), 1
    article = 1 if said[0] == "a" and said[1:2] in (["few"], ["couple"]) else 0
    if said[article] not in NUMBERS:
        return None, 0
    return NUMBERS[said[article]], article + (2 if list(said[article + 1 : article + 2]) == ["of"] else 1)


def _unit(said: str) -> str | None:
    single = said.removesuffix("s") if said != "centuries" else "century"
    return single if single in _DAYS or single in _MONTHS else None
