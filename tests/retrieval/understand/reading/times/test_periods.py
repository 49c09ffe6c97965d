from datetime import date

import pytest

from retrieval.understand.catalog.words import words
from retrieval.understand.reading.times.periods import period
from retrieval.understand.reading.times.spans import before

TODAY = date(2026, 8, 22)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2024-05-17", "2024-05-17", "2024-05-17"),
        ("2024/05", "2024-05-01", "2024-05-31"),
        ("2019", "2019-01-01", "2019-12-31"),
        ("March 2020", "2020-03-01", "2020-03-31"),
        ("March", "2026-03-01", "2026-03-31"),
        ("October", "2025-10-01", "2025-10-31"),
        ("5th of March, 2020", "2020-03-05", "2020-03-05"),
        ("Mar 5 2020", "2020-03-05", "2020-03-05"),
        ("5 March 2020", "2020-03-05", "2020-03-05"),
        ("first half of 2021", "2021-01-01", "2021-06-30"),
        ("last quarter of 2021", "2021-10-01", "2021-12-31"),
        ("Q3 2019", "2019-07-01", "2019-09-30"),
        ("H2 2019", "2019-07-01", "2019-12-31"),
        ("early 2015", "2015-01-01", "2015-04-30"),
        ("1990s", "1990-01-01", "1999-12-31"),
        ("yesterday", "2026-08-21", "2026-08-21"),
        ("this month", "2026-08-01", "2026-08-31"),
        ("last month", "2026-07-01", "2026-07-31"),
        ("last week", "2026-08-10", "2026-08-16"),
        ("last quarter", "2026-04-01", "2026-06-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("the last year", "2025-08-22", "2026-08-22"),
        ("past 30 days", "2026-07-23", "2026-08-22"),
        ("last three months", "2026-05-22", "2026-08-22"),
        ("two weeks ago", "2026-08-08", "2026-08-08"),
    ],
)
def test_times_are_read_as_people_write_them(text: str, start: str, end: str) -> None:
    found = period(words(text), 0, TODAY)
    assert found is not None
    assert (found.start.isoformat(), found.end.isoformat(), found.length) == (start, end, len(words(text)))


@pytest.mark.parametrize("text", ["may the force", "31 February 2020", "2024-13-45", "first half", "dagger", "9999999"])
def test_what_is_no_time_is_none(text: str) -> None:
    found = period(words(text), 0, TODAY)
    assert found is None or found.is_bare


def test_months_back_end_at_a_shorter_months_last_day() -> None:
    assert before(date(2024, 3, 31), months=1) == date(2024, 2, 29)
    assert before(date(2024, 2, 29), years=1) == date(2023, 2, 28)
