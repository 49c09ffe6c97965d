"""Times seen from today: `last month`, `the past 6 months`, `two weeks ago`, `older than two years`, `next week`."""

from collections.abc import Sequence
from datetime import date, timedelta
from math import ceil

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

NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "several": 3, "four": 4, "five": 5}
NUMBERS |= {"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
_DAYS = {"today": 0, "yesterday": 1}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = {"day": "days", "week": "weeks", "month": "months", "year": "years"}


def relative(said: Sequence[str], today: date) -> Period | None:
    """`today`, `yesterday`, `this month`, `last year`, `the past 6 months`, `2 weeks ago`."""
    if said[0] in _DAYS or said[0] in WEEKDAYS:
        return _day(said[0], today)
    the = 1 if said[0] == "the" else 0
    rest = said[the:]
    if len(rest) > 1 and rest[0] in ("this", "current"):
        return _now(rest[1], today, the + 2)
    if len(rest) > 1 and rest[0] in ("last", "past", "previous"):
        return _last_season(rest[1], today, the + 2) if rest[1] in SEASONS else _before_now(rest, today, the)
    if len(rest) > 1 and rest[0] in ("next", "coming"):
        return _after_now(rest, today, the)
    number, used = _count(rest)
    if number and len(rest) > used + 1 and (unit := _unit(rest[used])) and rest[used + 1] in ("ago", "back"):
        day = _ago(today, number, unit)
        return Period(day, day, the + used + 2)
    return None


def _day(name: str, today: date) -> Period:
    if name in WEEKDAYS:
        return _weekday(name, today, 1)
    day = today - timedelta(days=_DAYS[name])
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
    found = (season(today.year - back, name, length) for back in range(3))
    return next(each for each in found if each.end < today)


def _before_now(rest: Sequence[str], today: date, the: int) -> Period | None:
    """`last month` is the one before this; `the last month` and `past month` end today."""
    if rest[1] in WEEKDAYS:
        return _weekday(rest[1], today, the + 2)
    number, used = _count(rest[1:])
    if number and rest[used + 1 : used + 2] in (["hour"], ["hours"]):
        return Period(_ago(today, ceil(number / 24), "day"), today, the + used + 2)
    if number and len(rest) > used + 1 and (unit := _unit(rest[used + 1])):
        return Period(_ago(today, number, unit), today, the + used + 2)
    if (unit := _unit(rest[1])) and (the or rest[0] == "past") and rest[0] != "previous":
        return Period(_ago(today, 1, unit), today, the + 2)
    if rest[1] in MONTHS:
        year = today.year - (MONTHS[rest[1]] >= today.month)
        return whole_month(year, MONTHS[rest[1]], the + 2)
    current = _whole(rest[1], today)
    before = _whole(rest[1], current.start - timedelta(days=1)) if current else None
    return Period(before.start, before.end, the + 2) if before else None


def _after_now(rest: Sequence[str], today: date, the: int) -> Period | None:
    """`next month` is the one after this; `the next 6 weeks` begin today."""
    number, used = _count(rest[1:])
    if number and len(rest) > used + 1 and (unit := _unit(rest[used + 1])):
        return Period(today, _ago(today, -number, unit), the + used + 2)
    current = _whole(rest[1], today)
    after = _whole(rest[1], current.end + timedelta(days=1)) if current else None
    return Period(after.start, after.end, the + 2) if after else None


def age(words: Sequence[Word], at: int, today: date) -> Period | None:
    """The day so long ago, of `2 years` in `older than 2 years`."""
    said = [word.text.lower() for word in words[at : at + 3]]
    number, used = _count(said)
    if not number or len(said) <= used or not (unit := _unit(said[used])):
        return None
    day = _ago(today, number, unit)
    return Period(day, day, used + 1)


def _whole(unit: str, day: date) -> Period | None:
    """The week, month, quarter or year that a day is in."""
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return Period(start, start + timedelta(days=6), 1)
    if unit == "month":
        return whole_month(day.year, day.month, 1)
    if unit == "quarter":
        return months(day.year, 3, (day.month + 2) // 3, 1)
    return Period(date(day.year, 1, 1), date(day.year, 12, 31), 1) if unit == "year" else None


def _ago(today: date, number: int, unit: str) -> date:
    return before(today, **{_UNITS[unit]: number})


def _unit(said: str) -> str | None:
    single = said.removesuffix("s")
    return single if single in _UNITS else None


def _count(said: Sequence[str]) -> tuple[int | None, int]:
    """A number of something and how many words say it."""
    if not said:
        return None, 0
    if is_number(said[0]) and len(said[0]) < 4:
        return int(said[0]), 1
    if said[0] == "a" and said[1:2] in (["few"], ["couple"]):
        used = 3 if said[2:3] == ["of"] else 2
        return NUMBERS[said[1]], used
    return (NUMBERS[said[0]], 1) if said[0] in NUMBERS else (None, 0)
