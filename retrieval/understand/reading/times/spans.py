"""Spans of days, and the months and years that they are made of."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 14)}
"""First and last month; winter goes on into the next year."""
YEARS = range(1000, 2200)


@dataclass(frozen=True, slots=True)
class Period:
    """A time from its first to its last day, and how many words say it."""

    start: date
    end: date
    length: int
    is_bare: bool = False
    """Whether it is a number alone that may be no year, or a month's name alone that may be none."""


def whole_month(year: int, month: int, length: int, *, is_bare: bool = False) -> Period | None:
    """A whole month; None where there is none."""
    if year not in YEARS or not 1 <= month <= 12:
        return None
    return Period(date(year, month, 1), last_day(year, month), length, is_bare)


def months(year: int, size: int, number: int, length: int) -> Period:
    """The n-th part of a year that is so many months long."""
    last = size * number
    return Period(date(year, last - size + 1, 1), last_day(year, last), length)


def season(year: int, name: str, length: int) -> Period:
    """Spring, summer, autumn or winter that begins in a year."""
    first, last = SEASONS[name]
    end = last_day(year, last) if last <= 12 else last_day(year + 1, last - 12)
    return Period(date(year, first, 1), end, length)


def last_day(year: int, month: int) -> date:
    """Of a month."""
    return date(year, month, monthrange(year, month)[1])


def in_year(day: date, year: int, *, closes: bool = False) -> date:
    """The same day of another year; what closes a span at the end of February does so in every year.

    Args:
        day: to move.
        year: where to.
        closes: whether it is the last day of a span that is longer than it.
    """
    last = monthrange(year, day.month)[1]
    at_end = closes and day == last_day(day.year, day.month)
    return day.replace(year=year, day=last if at_end else min(day.day, last))


def year_of(said: str) -> int | None:
    """A year of four figures; None for anything else."""
    return int(said) if len(said) == 4 and is_number(said) and int(said) in YEARS else None


def is_number(said: str) -> bool:
    """Whether it is written in the figures 0 to 9 alone."""
    return said.isascii() and said.isdigit()


def before(day: date, *, days: int = 0, weeks: int = 0, months: int = 0, years: int = 0) -> date:
    """The day so long before; of a month that has no such day, its last."""
    back = day - timedelta(days=days, weeks=weeks)
    month = 12 * (back.year - years) + back.month - 1 - months
    year, number = divmod(month, 12)
    return back.replace(year=year, month=number + 1, day=min(back.day, monthrange(year, number + 1)[1]))
