"""Times relative to today: `last month`, `the past 6 months`, `two weeks ago`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import ceil

from retrieval.language.numbers.numerals import Numeral, numeral, pieces
from retrieval.language.numbers.quantity import CARDINALS, NUMBER_WORDS
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.spans import (
    MONTHS,
    SEASONS,
    Period,
    before,
    is_number,
    months,
    season,
    whole_month,
)

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
class TimeSpan:
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


def amount(said: Sequence[str]) -> TimeSpan | None:
    """The length of time that words begin with; None where they begin with none, as a unit without a number does."""
    number, used = count(said)
    unit = _unit(said[used]) if number and len(said) > used else None
    if not number or not unit:
        return None
    halves = list(said[used + 1 : used + 4]) == ["and", "a", "half"]
    return _amount(number + halves / 2, unit, used + 1 + 3 * halves)


def one(said: str) -> TimeSpan | None:
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


def _amount(number: float, unit: str, length: int) -> TimeSpan | None:
    """So many of a unit; None of what is less than a day, or longer than anybody counts back."""
    days, months = number * _DAYS.get(unit, 0), number * _MONTHS.get(unit, 0)
    if max(days / _MONTH, months) > _LONGEST:
        return None
    whole = TimeSpan(round(days + months % 1 * _MONTH), int(months), length)
    return whole if whole.days or whole.months else None


def _unit(said: str) -> str | None:
    single = said.removesuffix("s") if said != "centuries" else "century"
    return single if single in _DAYS or single in _MONTHS else None


_NAMED_DAYS = {"today": 0, "yesterday": 1}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SATURDAY = 5


def relative(said: Sequence[str], today: date) -> Period | None:
    """`today`, `yesterday`, `this month`, `last year`, `the past 6 months`, `2 weeks ago`."""
    if said[0] in _NAMED_DAYS or said[0] in WEEKDAYS:
        return _day(said[0], today)
    the = 1 if said[0] == "the" else 0
    rest = said[the:]
    if len(rest) > 1 and rest[0] in ("this", "current"):
        return _now(rest[1], today, the + 2)
    if len(rest) > 1 and rest[0] in ("last", "past", "previous"):
        return _last_season(rest[1], today, the + 2) if rest[1] in SEASONS else _before_now(rest, today, the)
    if len(rest) > 1 and rest[0] in ("next", "coming"):
        return _after_now(rest, today, the)
    return _so_long_ago(rest, today, the) or _rest_of(rest, today, the)


def _so_long_ago(rest: Sequence[str], today: date, the: int) -> Period | None:
    """`two weeks ago`, `three summers ago`."""
    span = amount(rest)
    if span and list(rest[span.length : span.length + 1]) in (["ago"], ["back"]):
        day = span.ago(today)
        return Period(day, day, the + span.length + 1)
    number, used = count(rest)
    name = rest[used].removesuffix("s") if number and len(rest) > used + 1 and rest[used + 1] == "ago" else ""
    if not number or name not in SEASONS:
        return None
    last = _last_season(name, today, 0)
    return season(last.start.year - int(number) + 1, name, the + used + 2)


def _rest_of(rest: Sequence[str], today: date, the: int) -> Period | None:
    """`earlier this year`, `so far this month`, `later this week`."""
    used = 2 if list(rest[:2]) == ["so", "far"] else 1
    if used == 1 and rest[:1] not in (["earlier"], ["later"]):
        return None
    whole = _now(rest[used + 1], today, 0) if list(rest[used : used + 1]) == ["this"] and len(rest) > used + 1 else None
    if whole is None:
        return None
    start, end = (today, whole.end) if rest[0] == "later" else (whole.start, today)
    return Period(start, end, the + used + 2)


def _day(name: str, today: date) -> Period:
    if name in WEEKDAYS:
        return _weekday(name, today, 1)
    day = today - timedelta(days=_NAMED_DAYS[name])
    return Period(day, day, 1)


def _weekday(name: str, today: date, length: int) -> Period:
    """The last one before today."""
    day = today - timedelta(days=(today.weekday() - WEEKDAYS.index(name) - 1) % 7 + 1)
    return Period(day, day, length)


def _now(unit: str, today: date, length: int) -> Period | None:
    """`this month`, `this spring`."""
    whole = season(today.year, unit, length) if unit in SEASONS else _whole(unit, today)
    return Period(whole.start, whole.end, length) if whole else None


def _last_season(name: str, today: date, length: int) -> Period:
    """The last one that is over."""
    matches = (season(today.year - back, name, length) for back in range(3))
    return next(match for match in matches if match.end < today)


def _before_now(rest: Sequence[str], today: date, the: int) -> Period | None:
    """`last month` is the one before this; `the last month` and `past month` end today."""
    if rest[1] in WEEKDAYS:
        return _weekday(rest[1], today, the + 2)
    number, used = count(rest[1:])
    if number and list(rest[used + 1 : used + 2]) in (["hour"], ["hours"]):
        return Period(today - timedelta(days=ceil(number / 24)), today, the + used + 2)
    span = amount(rest[1:])
    if span is None and (the or rest[0] == "past") and rest[0] != "previous":
        span = _with_half(rest)
    if span:
        return Period(span.ago(today), today, the + 1 + span.length)
    if rest[1] in MONTHS:
        year = today.year - (MONTHS[rest[1]] >= today.month)
        return whole_month(year, MONTHS[rest[1]], the + 2)
    current = _whole(rest[1], today)
    back = timedelta(days=7 if rest[1] == "weekend" else 1)
    before = _whole(rest[1], current.start - back) if current else None
    return Period(before.start, before.end, the + 2) if before else None


def _after_now(rest: Sequence[str], today: date, the: int) -> Period | None:
    """`next month` is the one after this; `the next 6 weeks` begin today."""
    span = amount(rest[1:])
    if span:
        return Period(today, span.ahead(today), the + 1 + span.length)
    current = _whole(rest[1], today)
    after = _whole(rest[1], current.end + timedelta(days=1)) if current else None
    return Period(after.start, after.end, the + 2) if after else None


def age(words: Sequence[Word], at: int, today: date) -> Period | None:
    """The day so long ago, of `2 years` in `older than 2 years`."""
    terms = [word.text.lower() for word in words[at : at + 5]]
    span = amount(terms)
    if span is None:
        return None
    day = span.ago(today)
    return Period(day, day, span.length)


def _with_half(rest: Sequence[str]) -> TimeSpan | None:
    """The `year and a half` of `the last year and a half`."""
    span = amount(["a", *rest[1:]])
    return span and replace(span, length=span.length - 1)


def _whole(unit: str, day: date) -> Period | None:
    """The week, month, quarter or year that a day is in."""
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return Period(start, start + timedelta(days=6), 1)
    if unit == "weekend":
        saturday = day - timedelta(days=day.weekday() - SATURDAY)
        return Period(saturday, saturday + timedelta(days=1), 1)
    if unit == "month":
        return whole_month(day.year, day.month, 1)
    if unit == "quarter":
        return months(day.year, 3, (day.month + 2) // 3, 1)
    return Period(date(day.year, 1, 1), date(day.year, 12, 31), 1) if unit == "year" else None
