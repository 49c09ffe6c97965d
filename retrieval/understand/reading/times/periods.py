"""Times as people write them: `March 2020`, `the first half of 2021`, `last month`, `two weeks ago`."""

from collections.abc import Sequence
from datetime import date, timedelta

from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.relative import relative
from retrieval.understand.reading.times.spans import (
    MONTHS,
    SEASONS,
    YEARS,
    Period,
    is_number,
    last_day,
    months,
    season,
    whole_month,
    year_of,
)

_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_FEASTS = {"christmas": (12, 25), "new year": (1, 1)}
_PARTS = {"early": (1, 4), "mid": (5, 8), "late": (9, 12)}
_YEARS_OF = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
"""Of a decade."""
_TENS = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70}
_TENS |= {"eighties": 80, "nineties": 90}
_EDGES = {"end": -1, "close": -1, "start": 0, "beginning": 0}
_SUFFIXES = frozenset({"st", "nd", "rd", "th"})


def period(words: Sequence[Word], at: int, today: date) -> Period | None:
    """The longest time that begins with this word; None without one."""
    said = [word.key if word.owns else word.text.lower() for word in words[at : at + 8]]
    if not said:
        return None
    edge = _edge(words, at, said, today) or _week_of(words, at, said, today)
    readings = (
        edge,
        *(_iso(said), _year(said), _part(said), _quarter(said), _season(said)),
        *(_named_month(said, today), _decade(said, today), _century(said), relative(said, today)),
    )
    found = [each for each in readings if each]
    return max(found, key=lambda each: each.length, default=None)


def is_month(word: Word) -> bool:
    """Whether it is a month's name with a capital: `may` is none."""
    return word.is_capital and word.text.lower() in MONTHS


def _iso(said: Sequence[str]) -> Period | None:
    parts = said[0].replace("/", "-").split("-")
    written = said[0].replace("/", ".").split(".")
    if len(written) == 3 and len(written[2]) == 4:
        parts = _from_left(written, american="/" in said[0])
    if len(parts) < 2 or not all(is_number(part) for part in parts):
        return None
    try:
        if len(parts) == 2:
            return whole_month(int(parts[0]), int(parts[1]), 1)
        day = date(*map(int, parts))
    except ValueError:
        return None
    return Period(day, day, 1)


def _from_left(written: Sequence[str], *, american: bool) -> list[str]:
    """Year, month and day of 5/17/2024 and 17.5.2024; where both may be a month, a slash has the month first."""
    one, other, year = written
    month_first = int(one) <= 12 if american or int(other) > 12 else int(other) > 12
    month, day = (one, other) if month_first else (other, one)
    return [year, month, day]


def _year(said: Sequence[str]) -> Period | None:
    """`2000`, `the year 2000`, the first of `the years 2000 and 2001`, the turn of the millennium."""
    the = 1 if said[0] == "the" else 0
    if list(said[the : the + 3]) == ["turn", "of", "the"] and said[the + 3 : the + 4] in (["millennium"], ["century"]):
        return Period(date(2000, 1, 1), date(2000, 12, 31), the + 4)
    if said[the : the + 1] in (["year"], ["years"]) and len(said) > the + 1 and (year := year_of(said[the + 1])):
        return Period(date(year, 1, 1), date(year, 12, 31), the + 2)
    year = year_of(said[0])
    return Period(date(year, 1, 1), date(year, 12, 31), 1, is_bare=True) if year else None


def _named_month(said: Sequence[str], today: date) -> Period | None:
    """`March`, `March 2020`, `March of 2020`, `March 5`, `March 5, 2020`, `5 March 2020`, `5th of March, 2020`."""
    day, rest = _day_of(said[0]), list(said)
    taken = 0
    if said[0] in _ORDINALS and said[1:2] == ["of"] and _ORDINALS[said[0]] > 0:
        day = _ORDINALS[said[0]]  # `the first of March`
    if day:
        skipped = 2 if rest[1:2] and rest[1] in _SUFFIXES else 1
        skipped += rest[skipped : skipped + 1] == ["of"]
        rest, taken = rest[skipped:], skipped
    if not rest or rest[0] not in MONTHS:
        return None
    month, rest, taken = MONTHS[rest[0]], rest[1:], taken + 1
    if not day and rest and _day_of(rest[0]):
        used = 2 if rest[1:2] and rest[1] in _SUFFIXES else 1
        day, rest, taken = _day_of(rest[0]), rest[used:], taken + used
    skipped = 1 if rest[:1] in ([","], ["of"]) else 0
    year = year_of(rest[skipped]) if len(rest) > skipped else None
    if year:
        taken += skipped + 1
    else:
        year = today.year if date(today.year, month, 1) <= today else today.year - 1
    if not day:
        return whole_month(year, month, taken, is_bare=taken == 1)
    try:
        exact = date(year, month, day)
    except ValueError:
        return None
    return Period(exact, exact, taken)


def _part(said: Sequence[str]) -> Period | None:
    """`first half of 2021`, `second quarter of 2020`, `Q3 2019`, `H1 2019`, `early 2015`, `the 1990s`."""
    if said[0] in _ORDINALS and len(said) > 3 and said[1] in ("half", "quarter") and said[2] in ("of", "in"):
        year, size = year_of(said[3]), 6 if said[1] == "half" else 3
        number = _ORDINALS[said[0]]
        number = 12 // size if number < 0 else number
        return months(year, size, number, 4) if year else None
    if said[0] in _PARTS and len(said) > 1:
        skipped = 2 if said[1] in ("-", "in") and len(said) > 2 else 1
        year = year_of(said[skipped])
        first, last = _PARTS[said[0]]
        return Period(date(year, first, 1), last_day(year, last), skipped + 1) if year else None
    return None


def _season(said: Sequence[str]) -> Period | None:
    """`summer 2025`, `the winter of 2025`, `Christmas 2025`."""
    skipped = 2 if said[1:2] in (["of"], [","]) else 1
    year = year_of(said[skipped]) if len(said) > skipped else None
    if year and said[0] in SEASONS:
        return season(year, said[0], skipped + 1)
    if year and said[0] in _FEASTS:
        return Period(date(year, *_FEASTS[said[0]]), date(year, *_FEASTS[said[0]]), skipped + 1)
    return None


def _quarter(said: Sequence[str]) -> Period | None:
    if len(said) < 3 or said[0] not in ("q", "h") or not is_number(said[1]):
        return None
    if said[2] in ("or", "and", "to", "-") and said[3:4] == said[:1] and len(said) > 5 and is_number(said[4]):
        last = _quarter([*said[3:]])  # `Q1 or Q2 of 2024`
        first = _quarter([said[0], said[1], str(last.end.year)]) if last else None
        return Period(first.start, last.end, 3 + last.length) if first and last and first.start <= last.start else None
    skipped = 3 if said[2] in ("of", ",", "/") and len(said) > 3 else 2
    year, size, number = year_of(said[skipped]), 3 if said[0] == "q" else 6, int(said[1])
    return months(year, size, number, skipped + 1) if year and 1 <= number <= 12 // size else None


def _edge(words: Sequence[Word], at: int, said: Sequence[str], today: date) -> Period | None:
    """The first or last day of a time: `the end of 1970`."""
    the = 1 if said[0] == "the" else 0
    if said[the : the + 1] == [] or said[the] not in _EDGES or said[the + 1 : the + 2] != ["of"]:
        return None
    whole = period(words, at + the + 2, today)
    if whole is None and said[the + 2 : the + 3] == ["the"]:  # `the start of the year`
        now = relative(["this", *said[the + 3 : the + 4]], today) if said[the + 3 :] else None
        whole = now and Period(now.start, now.end, 2)
    if whole is None:
        return None
    day = whole.end if _EDGES[said[the]] else whole.start
    return Period(day, day, the + 2 + whole.length)


def _week_of(words: Sequence[Word], at: int, said: Sequence[str], today: date) -> Period | None:
    """`the week of 6 July 2026`, from Monday to Sunday."""
    the = 1 if said[0] == "the" else 0
    if list(said[the : the + 2]) != ["week", "of"]:
        return None
    day = period(words, at + the + 2, today)
    if day is None or day.start != day.end:
        return None
    monday = day.start - timedelta(days=day.start.weekday())
    return Period(monday, monday + timedelta(days=6), the + 2 + day.length)


def _decade(said: Sequence[str], today: date) -> Period | None:
    """`1990s`, which the reader of words cuts in two; `90s`, `the nineties`, `nineteen-sixties`, `the late 1980s`."""
    the = 1 if said[0] == "the" else 0
    skipped = 2 if said[the + 1 : the + 2] == ["-"] else 1
    rest = said[the + skipped :]
    if said[the : the + 1] == ["nineteen"] and rest and rest[0] in _TENS:
        first = 1900 + _TENS[rest[0]]
        return Period(date(first, 1, 1), date(first + 9, 12, 31), the + skipped + 1)
    if said[the : the + 1] and said[the] in _YEARS_OF and rest and rest[0] != "the":
        whole = _decade(rest, today)
        first, last = _YEARS_OF[said[the]]
        if whole:
            start = whole.start.year
            return Period(date(start + first, 1, 1), date(start + last, 12, 31), the + skipped + whole.length)
    if said[the : the + 1] and said[the] in _TENS:
        tens = _TENS[said[the]]
        first = tens + (1900 if tens > today.year % 100 else 2000)
        return Period(date(first, 1, 1), date(first + 9, 12, 31), the + 1)
    if len(said) < 2 or said[1] != "s" or not is_number(said[0]) or not said[0].endswith("0"):
        return None
    first = int(said[0])
    if len(said[0]) == 2:
        first += 1900 if first > today.year % 100 else 2000
    return Period(date(first, 1, 1), date(first + 9, 12, 31), 2) if first in YEARS else None


def _century(said: Sequence[str]) -> Period | None:
    """`18th century`, `the 18th-century`: from 1701 to 1800."""
    the = 1 if said[0] == "the" else 0
    rest = [word for word in said[the : the + 4] if word != "-"]
    if len(rest) < 3 or not is_number(rest[0]) or rest[1] not in _SUFFIXES or rest[2] not in ("century", "centuries"):
        return None
    last = 100 * int(rest[0])
    length = the + 3 + ("-" in said[the : the + 3])
    return Period(date(last - 99, 1, 1), date(last, 12, 31), length) if last in YEARS and last > 1000 else None


def _day_of(said: str) -> int | None:
    return int(said) if is_number(said) and 1 <= int(said) <= 31 else None
