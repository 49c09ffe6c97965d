"""Periods as people write them: `March 2020`, `the first half of 2021`, `last month`, `two weeks ago`."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from retrieval.language.numbers.quantity import CARDINALS, ORDINALS
from retrieval.language.numbers.quantity import MONTHS as MONTH_NAMES
from retrieval.understand.catalog.words import Word

MONTHS = {
    name: number
    for name in MONTH_NAMES
    for number in range(1, 13)
    if name[:3] == date(1, number, 1).strftime("%b").lower()
}
SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 14)}
"""First and last month; winter continues into the next year."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_YEARS = range(1000, 2200)
_DAYS = {"day": 1, "week": 7}
_UNITS = {"month": 1, "quarter": 3, "year": 12}
_PIECES = {"half": 2, "quarter": 4}
_ORDINALS = {word: int(value) for word, value in ORDINALS.items() if value} | {"last": -1}
_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
_COUNTED = {word: int(value) for word, value in CARDINALS.items()} | {"a": 1, "an": 1}
_MOST = 3
"""The most digits of a number that counts units of time: `2019 weeks` are weeks of 2019."""


@dataclass(frozen=True, slots=True)
class Period:
    """A time from its first to its last day, and the number of its words."""

    start: date
    end: date
    length: int
    is_bare: bool = False
    """Whether it is only a number that may not be a year, or only a word that may not be a month."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A length of time in days and months, and the number of its words."""

    days: int
    months: int
    length: int

    def ago(self, day: date) -> date:
        """Return the day this long before."""
        return before(day, days=self.days, months=self.months)

    def ahead(self, day: date) -> date:
        """Return the day this long after."""
        return before(day, days=-self.days, months=-self.months)


def period(words: Sequence[Word], at: int, today: date) -> Period | None:
    """Return the longest period that begins with this word; None if there is none."""
    terms = [word.key if word.owns else word.text.lower() for word in words[at : at + 8]]
    if not terms:
        return None
    the = terms[0] == "the"
    readings = (
        _part(words, at, terms, today),
        _week_of(words, at, terms, today),
        *(_iso(terms), _year(terms), _quarter(terms, today), _season(terms, today)),
        *(_named_month(terms, today), _decade(terms), _relative(terms[the:], today, the=the)),
    )
    return max(filter(None, readings), key=lambda reading: reading.length, default=None)


def before(day: date, *, days: int = 0, months: int = 0) -> date:
    """Return the day this long before; the last of its month if the month has no such day."""
    back = day - timedelta(days=days)
    year, number = divmod(12 * back.year + back.month - 1 - months, 12)
    return back.replace(year=year, month=number + 1, day=min(back.day, monthrange(year, number + 1)[1]))


def in_year(day: date, year: int) -> date:
    """Return the same day in another year."""
    return day.replace(year=year, day=min(day.day, monthrange(year, day.month)[1]))


def year_of(text: str) -> int | None:
    """Return a year of four digits; None for anything else."""
    return int(text) if len(text) == 4 and is_number(text) and int(text) in _YEARS else None


def is_number(text: str) -> bool:
    """Whether it consists only of the digits 0 to 9."""
    return text.isascii() and text.isdigit()


def is_month(word: Word) -> bool:
    """Whether it is a month's name with a capital: `may` is not."""
    return word.is_capital and word.text.lower() in MONTHS


def is_calendar_word(word: Word) -> bool:
    """Whether a word names a day of the week, a month or a season."""
    return word.key in {*WEEKDAYS, *MONTHS, *SEASONS}


def length_of_time(terms: Sequence[str]) -> TimeSpan | None:
    """Return the length of time that lower-case words begin with, `two weeks`; None if there is none."""
    if len(terms) < 2 or (is_number(terms[0]) and len(terms[0]) > _MOST):
        return None
    number = int(terms[0]) if is_number(terms[0]) else _COUNTED.get(terms[0], 0)
    return _of_unit(number, terms[1].removesuffix("s"), 2) if number else None


def _of_unit(number: int, unit: str, length: int) -> TimeSpan | None:
    if unit not in _DAYS and unit not in _UNITS:
        return None
    return TimeSpan(number * _DAYS.get(unit, 0), number * _UNITS.get(unit, 0), length)


def _months(year: int, first: int, size: int, length: int) -> Period:
    """Return this many months from a month of a year; a 13th month is the first of the next year."""
    start = date(year, first, 1)
    return Period(start, before(start, months=-size) - timedelta(days=1), length)


def _iso(terms: Sequence[str]) -> Period | None:
    """Return the period of `2024-05-17`, `2024/05`, `5/17/2024`, `17.5.2024`."""
    parts = terms[0].replace("/", "-").replace(".", "-").split("-")
    if len(parts) == 3 and len(parts[2]) == 4:
        parts = _year_first(parts, american="/" in terms[0])
    if not 2 <= len(parts) <= 3 or not all(map(is_number, parts)) or not year_of(parts[0]):
        return None
    try:
        day = date(*map(int, [*parts, "1"][:3]))
    except ValueError:
        return None
    return Period(day, day, 1) if len(parts) == 3 else _months(day.year, day.month, 1, 1)


def _year_first(written: Sequence[str], *, american: bool) -> list[str]:
    """Return year, month and day of 5/17/2024 and 17.5.2024; if both may be a month, it is first in dates with
    slashes."""
    one, other, year = written
    if not (is_number(one) and is_number(other)):
        return list(written)
    month_first = int(one) <= 12 if american or int(other) > 12 else int(other) > 12
    return [year, *((one, other) if month_first else (other, one))]


def _year(terms: Sequence[str]) -> Period | None:
    """Return the period of `2000`, `the year 2000`, or the first of `the years 2000 and 2001`."""
    the = terms[0] == "the"
    at = the + 1 if terms[the : the + 1] in (["year"], ["years"]) else 0
    year = year_of(terms[at]) if len(terms) > at else None
    return replace(_months(year, 1, 12, at + 1), is_bare=not at) if year else None


def _named_month(terms: Sequence[str], today: date) -> Period | None:
    """Return the period of `March`, `March 2020`, `March of 2020`, `March 5`, `March 5, 2020`, `5 March 2020`, `5th of
    March, 2020`."""
    day, at = _day_of(terms, 0)
    at += bool(day) and terms[at : at + 1] == ["of"]
    if len(terms) <= at or terms[at] not in MONTHS:
        return None
    month, at = MONTHS[terms[at]], at + 1
    if not day:
        day, at = _day_of(terms, at)
    linked = at + (terms[at : at + 1] in ([","], ["of"]))
    year = year_of(terms[linked]) if len(terms) > linked else None
    at = linked + 1 if year else at
    year = year or today.year - (date(today.year, month, 1) > today)
    if not day:
        return replace(_months(year, month, 1, at), is_bare=at == 1)
    try:
        exact = date(year, month, day)
    except ValueError:
        return None
    return Period(exact, exact, at)


def _day_of(terms: Sequence[str], at: int) -> tuple[int, int]:
    """Return the day of a month at this position and the position after it; 0 and the same position if there is
    none."""
    if len(terms) <= at or not is_number(terms[at]) or not 1 <= int(terms[at]) <= 31:
        return 0, at
    return int(terms[at]), at + 1 + (len(terms) > at + 1 and terms[at + 1] in _SUFFIXES)


def _season(terms: Sequence[str], today: date) -> Period | None:
    """Return the period of `summer 2025`, `the winter of 2025`; of a season alone, the last that has begun."""
    if terms[0] not in SEASONS:
        return None
    at = 1 + (terms[1:2] in (["of"], [","]))
    year = year_of(terms[at]) if len(terms) > at else None
    first, last = SEASONS[terms[0]]
    if year:
        return _months(year, first, last - first + 1, at + 1)
    begun = today.year - (date(today.year, first, 1) > today)
    return None if terms[0] == "fall" else replace(_months(begun, first, last - first + 1, 1), is_bare=True)


def _quarter(terms: Sequence[str], today: date) -> Period | None:
    """Return the period of `Q3 2019`, `H1 of 2019`; without a year, the last that has begun."""
    if len(terms) < 2 or terms[0] not in ("q", "h") or not is_number(terms[1]):
        return None
    size, number = (3 if terms[0] == "q" else 6), int(terms[1])
    if not 1 <= number <= 12 // size:
        return None
    at = 2 + (terms[2:3] == ["of"])
    year = year_of(terms[at]) if len(terms) > at else None
    first = size * (number - 1) + 1
    begun = today.year - (date(today.year, first, 1) > today)
    return _months(year or begun, first, size, at + 1 if year else 2)


def _decade(terms: Sequence[str]) -> Period | None:
    """Return the period of `1990s`, which is two words here."""
    at = terms[0] == "the"
    year = year_of(terms[at]) if terms[at + 1 : at + 2] == ["s"] else None
    return _months(year, 1, 120, at + 2) if year and not year % 10 else None


def _relative(rest: Sequence[str], today: date, *, the: bool) -> Period | None:
    """Return the period of `yesterday`, `on Monday`, `this month`, `last year`, `the past 6 months`, `next week`, `2
    weeks ago`.

    `last month` is the month before this one; `the last month`, `past month` and `last 3 months` end today.
    """
    if not rest:
        return None
    if rest[0] in ("today", "yesterday", *WEEKDAYS):
        back = 1 + (today.weekday() - WEEKDAYS.index(rest[0]) - 1) % 7 if rest[0] in WEEKDAYS else rest[0] != "today"
        return Period(today - timedelta(days=back), today - timedelta(days=back), the + 1)
    span = length_of_time(rest)
    if span and rest[span.length : span.length + 1] == ["ago"]:
        return Period(span.ago(today), span.ago(today), the + span.length + 1)
    way = {"this": 0, "current": 0, "last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1}.get(rest[0])
    if way is None or len(rest) < 2:
        return None
    span = length_of_time(rest[1:])
    if not span and way < 0 and (the or rest[0] == "past") and rest[0] != "previous":
        span = _of_unit(1, rest[1], 1)
    if span and way:
        start, end = (span.ago(today), today) if way < 0 else (today, span.ahead(today))
        return Period(start, end, the + 1 + span.length)
    return _whole(rest[1], today, way, the + 2)


def _whole(unit: str, today: date, way: int, length: int) -> Period | None:
    """Return the week, month, quarter or year of a day, or the one before or after it."""
    span = _of_unit(way, unit, 0)
    if span is None or unit == "day":
        return None
    day = span.ahead(today)
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return Period(monday, monday + timedelta(days=6), length)
    size = _UNITS[unit]
    return _months(day.year, (day.month - 1) // size * size + 1, size, length)


def _part(words: Sequence[Word], at: int, terms: Sequence[str], today: date) -> Period | None:
    """Return the period of `first half of 2021`, `second week of June 2024`, `last quarter of the year`."""
    the = terms[0] == "the"
    if len(terms) < the + 4 or terms[the] not in _ORDINALS or terms[the + 2] != "of":
        return None
    of_year = terms[the + 3 : the + 5] == ["the", "year"]
    whole = _whole("year", today, 0, 2) if of_year else period(words, at + the + 3, today)
    number, unit = _ORDINALS[terms[the]], terms[the + 1]
    if whole is None or whole.start == whole.end:
        return None
    months = 12 * (whole.end.year - whole.start.year) + whole.end.month - whole.start.month + 1
    days = (whole.end - whole.start).days + 1
    size, parts = months // _PIECES.get(unit, 1), _PIECES.get(unit)
    piece = parts and (TimeSpan(0, size, 0) if size else TimeSpan(days // parts, 0, 0))
    span = piece or _of_unit(1, unit, 0)
    if span is None:
        return None
    if number < 0 and not parts:
        start, end = before(whole.end + timedelta(days=1), days=span.days, months=span.months), whole.end
    else:
        number = parts or 1 if number < 0 else number
        start = before(whole.start, days=-span.days * (number - 1), months=-span.months * (number - 1))
        end = whole.end if number == parts else min(span.ahead(start) - timedelta(days=1), whole.end)
    return Period(start, end, the + 3 + whole.length) if whole.start <= start <= whole.end else None


def _week_of(words: Sequence[Word], at: int, terms: Sequence[str], today: date) -> Period | None:
    """Return the period of `the week of 6 July 2026`, from Monday to Sunday."""
    the = terms[0] == "the"
    day = period(words, at + the + 2, today) if terms[the : the + 2] == ["week", "of"] else None
    if day is None or day.start != day.end:
        return None
    return replace(_whole("week", day.start, 0, 0) or day, length=the + 2 + day.length)
