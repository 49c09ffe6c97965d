"""Several times of one list: `in 2001 or 2002`, `in January and March 2024`, `in 2019 or in 2021`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.bounds import Range
from retrieval.understand.reading.times.periods import period
from retrieval.understand.reading.times.spans import MONTHS, in_year, year_of

Gap = tuple[date, date]
"""First and last day of what lies between two times of a list."""


def listed(words: Sequence[Word], found: Range, today: date) -> tuple[Range, tuple[Gap, ...]]:
    """A time with those that are listed behind it, from the first to the last, and what is left out between them.

    Args:
        words: of the question.
        found: the first of the list; one that is open at an end is no list.
        today: what `last month` goes back from.
    """
    gaps: list[Gap] = []
    while found.start and found.end and found.stop + 1 < len(words) and words[found.stop].key in ("or", "and", ","):
        begin = found.stop + 1
        for skipped in (("or", "and"), ("in", "from")):  # `2019, 2020, or in 2021`
            begin += words[begin].key in skipped and begin + 1 < len(words)
        following = period(words, begin, today)
        if following is None:
            break
        start, end = _of_year(words, found, begin, following.start, following.length)
        if following.start <= end:
            break
        between = (end + timedelta(days=1), following.start - timedelta(days=1))
        gaps += [between] if between[0] <= between[1] else []
        found = replace(found, start=start, end=following.end, stop=begin + following.length)
    return found, tuple(gaps)


def _of_year(words: Sequence[Word], found: Range, begin: int, day: date, length: int) -> Gap:
    """A month without a year is of the year that the next one tells: `January or February 2024`."""
    start, end = found.start or day, found.end or day
    said = [word.text.lower() for word in words[found.first : found.stop]]
    told = any(year_of(word.text) for word in words[begin : begin + length])
    if not told or any(map(year_of, said)) or not any(word in MONTHS for word in said):
        return start, end
    year = day.year if start.month < day.month else day.year - 1
    return in_year(start, year), in_year(end, year + end.year - start.year, closes=start != end)
