"""Which year a month or day without one is of."""

from collections.abc import Sequence
from datetime import date

from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.spans import MONTHS, in_year, year_of


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
