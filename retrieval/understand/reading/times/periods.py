"""Times as people write them: `March 2020`, `the first half of 2021`, `last month`, `two weeks ago`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from retrieval.language.numbers.quantity import CARDINALS, ORDINALS
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.relative import TimeSpan, amount, one, relative
from retrieval.understand.reading.times.spans import (
    MONTHS,
    SEASONS,
    YEARS,
    Period,
    is_number,
    months,
    season,
    whole_month,
    year_of,
)

_ORDINALS = {word: int(value) for word, value in ORDINALS.items() if value} | {"last": -1, "final": -1}
_PIECES = {"half": 2, "third": 3, "quarter": 4}
_THIRDS = {"early": 1, "mid": 2, "late": 3, "start": 1, "beginning": 1, "middle": 2, "end": 3, "close": 3}
_EDGES = frozenset({"start", "beginning", "middle", "end", "close"})
_LOOSE = frozenset({"in", "at", "toward", "towards", "around", "during"})
"""What stands before a part, where others stand before its first or last day: `towards the end of 1970`."""
_BOUNDS = frozenset({"from", "since", "after", "before", "until", "till", "by", "to", "than", "through"})
_YEAR, _MONTH, _DECADE, _CENTURY = 360, 28, 3600, 36_000
"""Days that these have at least."""

Read = Callable[[Sequence[Word], int, date], Period | None]


def part(words: Sequence[Word], at: int, said: Sequence[str], today: date, read: Read) -> Period | None:
    """The part of a time that begins with this word.

    Args:
        words: of the question.
        at: place of the word.
        said: this word and those behind it, in small letters.
        today: what `this year` is.
        read: the time that begins with a word.
    """
    the = 1 if said[0] == "the" else 0
    before = words[at - 1].key if at else ""
    cut = _cut(said[the:])
    whole = _whole(words, at + the + cut.length, today, read, joined=True) if cut else None
    if cut and whole:
        days = cut.of(whole)
        return Period(*days, the + cut.length + whole.length) if days else None
    word = said[the] if len(said) > the else ""
    if word not in _THIRDS:
        return None
    skipped = 1 + (said[the + 1 : the + 2] == ["-"])
    whole = _whole(words, at + the + skipped, today, read, joined=word in _EDGES)
    if whole is None or (word not in _EDGES and (whole.end - whole.start).days < _MONTH - 1):
        return None
    length = the + skipped + whole.length
    if (before in _BOUNDS or word in _EDGES) and before not in _LOOSE:
        day = {1: whole.start, 2: _middle(whole), 3: whole.end}[_THIRDS[word]]
        return Period(day, day, length)
    return Period(*_third(whole, _THIRDS[word]), length)


@dataclass(frozen=True, slots=True)
class _Cut:
    """The n-th of so many equal parts, or the n-th so long, of a time; below 0 the last."""

    number: int
    parts: int
    """0 where it is so long."""
    span: TimeSpan
    length: int
    """Words that say it."""

    def of(self, whole: Period) -> tuple[date, date] | None:
        """Its first and last day; None where the time has not so many."""
        if self.parts:
            number = self.parts if self.number < 0 else self.number
            fits = number <= self.parts <= (whole.end - whole.start).days + 1
            return _piece(whole, number, self.parts) if fits else None
        if self.number < 0:
            return max(whole.start, self.span.ago(whole.end + timedelta(days=1))), whole.end
        start = whole.start
        for _ in range(self.number - 1):
            start = self.span.ahead(start)
        end = self.span.ahead(start) - timedelta(days=1)
        return (start, min(end, whole.end)) if start <= whole.end else None


def _cut(said: Sequence[str]) -> _Cut | None:
    """`first half`, `first week`, `last two months`."""
    if len(said) < 3 or said[0] not in _ORDINALS:
        return None
    number = _ORDINALS[said[0]]
    if said[1] in _PIECES:
        return _Cut(number, _PIECES[said[1]], TimeSpan(0, 0, 0), 2)
    span = (amount(said[1:]) if number in (1, -1) else None) or one(said[1])
    return _Cut(number, 0, span, 1 + span.length) if span else None


def _whole(words: Sequence[Word], at: int, today: date, read: Read, *, joined: bool) -> Period | None:
    """What a part is of, with the words between: `of 2021`, `of the year`, `in last March`."""
    linked = at < len(words) and words[at].key in ("of", "in")
    if at >= len(words) or (joined and not linked):
        return None
    matches = read(words, at + linked, today)
    if matches is None and linked and at + 2 < len(words) and words[at + 1].key == "the":
        now = relative(["this", words[at + 2].text.lower()], today)
        matches = now and Period(now.start, now.end, 2)
    return matches and Period(matches.start, matches.end, linked + matches.length)


def _third(whole: Period, number: int) -> tuple[date, date]:
    days = (whole.end - whole.start).days + 1
    if _DECADE <= days < _CENTURY:
        first, last = ((0, 3), (4, 6), (7, 9))[number - 1]
        year = whole.start.year
        return date(year + first, 1, 1), date(year + last, 12, 31)
    return _piece(whole, number, 3)


def _piece(whole: Period, number: int, parts: int) -> tuple[date, date]:
    """Of a year in months, of what is shorter in days: the first half of a month ends on its 15th."""
    days = (whole.end - whole.start).days + 1
    if days >= _YEAR and whole.start.day == 1:
        months = round(days / 30.44) // parts
        span = TimeSpan(0, months * (number - 1), 0)
        start = span.ahead(whole.start)
        end = whole.end if number == parts else TimeSpan(0, months, 0).ahead(start) - timedelta(days=1)
        return start, end
    size = min(days, 30) // parts if days < _YEAR and days >= _MONTH and days <= 31 else days // parts
    start = whole.start + timedelta(days=size * (number - 1))
    return start, whole.end if number == parts else start + timedelta(days=size - 1)


def _middle(whole: Period) -> date:
    days = (whole.end - whole.start).days + 1
    return whole.start + timedelta(days=min(days, 30) // 2 - 1 if days <= 31 else days // 2)


_FEASTS = {"christmas": (12, 25), "new year": (1, 1)}
_TENS = {f"{word[:-1]}ies": int(value) for word, value in CARDINALS.items() if word.endswith("ty")}
"""`twenties` to `nineties`."""
_SUFFIXES = frozenset({"st", "nd", "rd", "th"})


def period(words: Sequence[Word], at: int, today: date) -> Period | None:
    """The longest time that begins with this word; None without one."""
    terms = [word.key if word.owns else word.text.lower() for word in words[at : at + 8]]
    if not terms:
        return None
    readings = (
        *(part(words, at, terms, today, period), _week_of(words, at, terms, today)),
        *(_iso(terms), _year(terms, today), _quarter(terms, today), _season(terms, today)),
        *(_named_month(terms, today), _decade(terms, today), _century(terms), relative(terms, today)),
    )
    matches = [reading for reading in readings if reading]
    return max(matches, key=lambda match: match.length, default=None)


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


def _year(said: Sequence[str], today: date) -> Period | None:
    """`2000`, `the year 2000`, the first of `the years 2000 and 2001`, the turn of the millennium."""
    the = 1 if said[0] == "the" else 0
    if list(said[the : the + 3]) == ["turn", "of", "the"] and said[the + 3 : the + 4] in (["millennium"], ["century"]):
        return Period(date(2000, 1, 1), date(2000, 12, 31), the + 4)
    if said[the : the + 1] in (["year"], ["years"]) and len(said) > the + 1 and (year := year_of(said[the + 1])):
        return Period(date(year, 1, 1), date(year, 12, 31), the + 2)
    if said[0] in ("'", "’") and len(said) > 1 and is_number(said[1]) and len(said[1]) == 2:
        year = _of_century(int(said[1]), today)
        return Period(date(year, 1, 1), date(year, 12, 31), 2)
    year = year_of(said[0])
    return Period(date(year, 1, 1), date(year, 12, 31), 1, is_bare=True) if year else None


def _of_century(tens: int, today: date) -> int:
    """The last year that ends so: 1985 for 85, 2019 for 19."""
    return tens + (1900 if tens > today.year % 100 else 2000)


def _named_month(said: Sequence[str], today: date) -> Period | None:
    """`March`, `March 2020`, `March of 2020`, `March 5`, `March 5, 2020`, `5 March 2020`, `5th of March, 2020`."""
    day, rest = _day_of(said[0]), list(said)
    taken = 0
    if ORDINALS.get(said[0]) and said[1:2] == ["of"]:
        day = int(ORDINALS[said[0]])  # `the first of March`
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
    other = relative(rest[skipped:], today) if not year and rest[skipped + 1 : skipped + 2] == ["year"] else None
    if year or other:
        year = year or (other.start.year if other else 0)  # `May last year`
        taken += skipped + (other.length if other else 1)
    else:
        year = today.year if date(today.year, month, 1) <= today else today.year - 1
    if not day:
        return whole_month(year, month, taken, is_bare=taken == 1)
    try:
        exact = date(year, month, day)
    except ValueError:
        return None
    return Period(exact, exact, taken)


def _season(said: Sequence[str], today: date) -> Period | None:
    """`summer 2025`, `the winter of 2025`, `Christmas 2025`, and the season alone: the last that has begun."""
    skipped = 2 if said[1:2] in (["of"], [","]) else 1
    year = year_of(said[skipped]) if len(said) > skipped else None
    if year and said[0] in SEASONS:
        return season(year, said[0], skipped + 1)
    if year and said[0] in _FEASTS:
        return Period(date(year, *_FEASTS[said[0]]), date(year, *_FEASTS[said[0]]), skipped + 1)
    if said[0] in SEASONS and said[0] != "fall":
        matches = (season(today.year - back, said[0], 1) for back in range(2))
        return replace(next(match for match in matches if match.start <= today), is_bare=True)
    return None


def _quarter(said: Sequence[str], today: date) -> Period | None:
    """`Q3 2019`, `H1 2019`, `2024 Q2`, `Q1 or Q2 of 2024`; without a year the last that has begun."""
    if year_of(said[0]):
        rest = _quarter([*said[1:3], said[0]], today) if len(said) > 2 else None
        return rest and Period(rest.start, rest.end, 3)
    if len(said) < 2 or said[0] not in ("q", "h") or not is_number(said[1]):
        return None
    if said[2:3] and said[2] in ("or", "and", "to", "-") and said[3:4] == said[:1] and len(said) > 5:
        last = _quarter(said[3:], today)
        first = _quarter([said[0], said[1], str(last.end.year)], today) if last else None
        return Period(first.start, last.end, 3 + last.length) if first and last and first.start <= last.start else None
    skipped = 3 if said[2:3] and said[2] in ("of", ",", "/") and len(said) > 3 else 2
    year = year_of(said[skipped]) if len(said) > skipped else None
    size, number = 3 if said[0] == "q" else 6, int(said[1])
    if not 1 <= number <= 12 // size:
        return None
    if year:
        return months(year, size, number, skipped + 1)
    matches = months(today.year, size, number, 2)
    return matches if matches.start <= today else months(today.year - 1, size, number, 2)


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
    hundreds = int(CARDINALS.get(said[the], 0)) if len(said) > the else 0
    if 10 <= hundreds < 20 and rest and rest[0] in _TENS:
        first = 100 * hundreds + _TENS[rest[0]]
        return Period(date(first, 1, 1), date(first + 9, 12, 31), the + skipped + 1)
    if said[the : the + 1] and said[the] in _TENS:
        first = _of_century(_TENS[said[the]], today)
        return Period(date(first, 1, 1), date(first + 9, 12, 31), the + 1)
    written = said[the] if said[the + 1 : the + 2] == ["s"] else ""
    if not is_number(written) or not written.endswith("0"):
        return None
    first = _of_century(int(written), today) if len(written) == 2 else int(written)
    return Period(date(first, 1, 1), date(first + 9, 12, 31), the + 2) if first in YEARS else None


def _century(said: Sequence[str]) -> Period | None:
    """`18th century`, `the 18th-century`, `the eighteenth century`: from 1701 to 1800."""
    the = 1 if said[0] == "the" else 0
    rest = list(said[the:])
    if rest and rest[0] in ORDINALS:
        number, used = int(ORDINALS[rest[0]]), 1
    elif len(rest) > 1 and is_number(rest[0]) and rest[1] in _SUFFIXES:
        number, used = int(rest[0]), 2
    else:
        return None
    used += rest[used : used + 1] == ["-"]
    if rest[used : used + 1] not in (["century"], ["centuries"]):
        return None
    last = 100 * number
    return Period(date(last - 99, 1, 1), date(last, 12, 31), the + used + 1) if last in YEARS and last > 1000 else None


def _day_of(said: str) -> int | None:
    return int(said) if is_number(said) and 1 <= int(said) <= 31 else None
