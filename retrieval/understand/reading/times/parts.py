"""Parts of a time: `the first half of March`, `mid-January 2027`, `the last two weeks of June`, `the end of 1970`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from retrieval.quantities.words import ORDINALS
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.amounts import Amount, amount, one
from retrieval.understand.reading.times.relative import relative
from retrieval.understand.reading.times.spans import Period

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
    span: Amount
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
        return _Cut(number, _PIECES[said[1]], Amount(0, 0, 0), 2)
    span = (amount(said[1:]) if number in (1, -1) else None) or one(said[1])
    return _Cut(number, 0, span, 1 + span.length) if span else None


def _whole(words: Sequence[Word], at: int, today: date, read: Read, *, joined: bool) -> Period | None:
    """What a part is of, with the words between: `of 2021`, `of the year`, `in last March`."""
    linked = at < len(words) and words[at].key in ("of", "in")
    if at >= len(words) or (joined and not linked):
        return None
    found = read(words, at + linked, today)
    if found is None and linked and at + 2 < len(words) and words[at + 1].key == "the":
        now = relative(["this", words[at + 2].text.lower()], today)
        found = now and Period(now.start, now.end, 2)
    return found and Period(found.start, found.end, linked + found.length)


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
        span = Amount(0, months * (number - 1), 0)
        start = span.ahead(whole.start)
        end = whole.end if number == parts else Amount(0, months, 0).ahead(start) - timedelta(days=1)
        return start, end
    size = min(days, 30) // parts if days < _YEAR and days >= _MONTH and days <= 31 else days // parts
    start = whole.start + timedelta(days=size * (number - 1))
    return start, whole.end if number == parts else start + timedelta(days=size - 1)


def _middle(whole: Period) -> date:
    days = (whole.end - whole.start).days + 1
    return whole.start + timedelta(days=min(days, 30) // 2 - 1 if days <= 31 else days // 2)
