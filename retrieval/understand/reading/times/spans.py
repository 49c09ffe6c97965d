"""Spans of days, and bounds around a time (`since`, `before`)."""

from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from retrieval.understand.catalog.catalog import CatalogField
from retrieval.understand.catalog.words import Word

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


def nearest(
    said: Sequence[Word], start: date | None, end: date | None, field: CatalogField, today: date
) -> tuple[date | None, date | None]:
    """The first and last day of a time, a year later where that is nearer to today and dates lie so far ahead.

    `closing before March 1st` is said in February of the March to come; what was written in March was so last year.

    Args:
        said: the words of the time.
        start: its first day, as the past has it; None where it is open.
        end: its last day.
        field: the date that it is about.
        today: what it is near to.
    """
    bounds = [each for each in (start, end) if each]
    is_named = any(word.text.lower() in MONTHS for word in said)
    if not bounds or not is_named or any(word.key == "year" or year_of(word.text) for word in said):
        return start, end
    latest = max(map(str, field.counts))
    first = in_year(bounds[0], bounds[0].year + 1)
    if str(field.stored(first, is_end=False)) > latest or first - today > today - bounds[0]:
        return start, end
    return start and in_year(start, start.year + 1), end and in_year(end, end.year + 1, closes=start != end)


_SINCE = (
    ("on", "or", "after"),
    ("until", "at", "least"),
    ("at", "least", "until"),
    ("at", "the", "earliest"),
    ("at", "the", "earliest", "in"),
    ("not", "before"),
    ("no", "earlier", "than"),
    ("not", "earlier", "than"),
    ("since",),
    ("starting",),
    ("beginning",),
    ("from",),
)
_AFTER = (
    ("after",),
    ("later", "than"),
    ("newer", "than"),
    ("younger", "than"),
    ("more", "recent", "than"),
    ("past",),
    ("post",),
)
_BEFORE = (("before",), ("earlier", "than"), ("older", "than"), ("prior", "to"), ("pre",))
_UNTIL = (
    ("on", "or", "before"),
    ("not", "after"),
    ("not", "later", "than"),
    ("until",),
    ("till",),
    ("through",),
    ("up", "to"),
    ("up", "to", "and", "including"),
    ("by",),
    ("no", "later", "than"),
    ("at", "the", "latest"),
    ("at", "the", "latest", "in"),
    ("as", "of"),
)
_WITHIN = (("in",), ("during",), ("on",), ("within",), ("of",), ("for",), ("over",), ("throughout",), ("dated",))
ONWARD = (
    *(("onward",), ("on",), ("and", "later"), ("and", "after"), ("or", "later"), ("and", "onward"), ("+",)),
    ("at", "the", "earliest"),
)
BACK = (
    *(("or", "earlier"), ("and", "earlier"), ("or", "before"), ("and", "before"), ("or", "older")),
    ("at", "the", "latest"),
)
SURE = 0.95


@dataclass(frozen=True, slots=True)
class Range:
    """A time with the words that say it."""

    start: date | None
    end: date | None
    first: int
    """Of the words that say it, with its preposition."""
    stop: int
    confidence: float


def earlier(found: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    """What is before a time."""
    return Range(None, found.start - timedelta(days=1), first, stop, SURE)


def later(found: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    """What is after a time."""
    return Range(found.end + timedelta(days=1), None, first, stop, SURE)


def since(found: Period, first: int, stop: int, words: Sequence[Word]) -> Range:
    """What is from a time on; `from 2015` alone is of that time."""
    if words[first].key != "from":
        return Range(found.start, None, first, stop, SURE)
    onward, back = (said_here(words, stop, which) for which in (ONWARD, BACK))
    start, end = None if back else found.start, None if onward else found.end
    return Range(start, end, first, stop + max(onward, back), SURE)


def said_here(words: Sequence[Word], at: int, phrases: Sequence[tuple[str, ...]]) -> int:
    """How many words say one of these: `and later`."""
    keys = tuple(word.key for word in words[at : at + 3])
    return max((len(phrase) for phrase in phrases if keys[: len(phrase)] == phrase), default=0)


def _up_to(found: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    return Range(None, found.end, first, stop, 0.9)


def _within(found: Period, first: int, stop: int, words: Sequence[Word]) -> Range:
    back, onward = (said_here(words, stop, which) for which in (BACK, ONWARD[2:]))
    return Range(None if back else found.start, None if onward else found.end, first, stop + back + onward, SURE)


_Bound = Callable[[Period, int, int, Sequence[Word]], Range]
BOUNDS: tuple[tuple[tuple[str, ...], _Bound], ...] = tuple(
    sorted(
        (
            *((phrase, earlier) for phrase in _BEFORE),
            *((phrase, later) for phrase in _AFTER),
            *((phrase, since) for phrase in _SINCE),
            *((phrase, _up_to) for phrase in _UNTIL),
            *((phrase, _within) for phrase in _WITHIN),
        ),
        key=lambda each: -len(each[0]),
    )
)
