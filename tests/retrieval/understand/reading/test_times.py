"""Times as people write them, and the date of the documents that each is about."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.periods import before, period
from retrieval.understand.reading.times import temporal_refs

TODAY = date(2026, 8, 22)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2024-05-17", "2024-05-17", "2024-05-17"),
        ("2024/05", "2024-05-01", "2024-05-31"),
        ("17.5.2024", "2024-05-17", "2024-05-17"),
        ("5/17/2024", "2024-05-17", "2024-05-17"),
        ("the year 2019", "2019-01-01", "2019-12-31"),
        ("March of 2020", "2020-03-01", "2020-03-31"),
        ("October", "2025-10-01", "2025-10-31"),
        ("5th of March, 2020", "2020-03-05", "2020-03-05"),
        ("Mar 5 2020", "2020-03-05", "2020-03-05"),
        ("winter 2024", "2024-12-01", "2025-02-28"),
        ("H2 of 2019", "2019-07-01", "2019-12-31"),
        ("Q3", "2026-07-01", "2026-09-30"),
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("the first half of 2021", "2021-01-01", "2021-06-30"),
        ("second half of March 2020", "2020-03-16", "2020-03-31"),
        ("last quarter of the year", "2026-10-01", "2026-12-31"),
        ("the third week of June 2024", "2024-06-15", "2024-06-21"),
        ("the fifth month of 2024", "2024-05-01", "2024-05-31"),
        ("the week of 6 July 2026", "2026-07-06", "2026-07-12"),
        ("yesterday", "2026-08-21", "2026-08-21"),
        ("Monday", "2026-08-17", "2026-08-17"),
        ("this month", "2026-08-01", "2026-08-31"),
        ("last week", "2026-08-10", "2026-08-16"),
        ("last quarter", "2026-04-01", "2026-06-30"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("the last year", "2025-08-22", "2026-08-22"),
        ("past 30 days", "2026-07-23", "2026-08-22"),
        ("last three months", "2026-05-22", "2026-08-22"),
        ("two weeks ago", "2026-08-08", "2026-08-08"),
    ],
)
def test_times_are_read_as_people_write_them(text: str, start: str, end: str) -> None:
    result = period(words(text), 0, TODAY)
    assert (result.start.isoformat(), result.end.isoformat(), result.length) == (start, end, len(words(text)))


@pytest.mark.parametrize(
    "text", ["dagger", "31 February 2020", "2024-13-45", "9999999", "first half", "the sixth week of May 2024", "Q5"]
)
def test_what_is_no_time_is_none(text: str) -> None:
    result = period(words(text), 0, TODAY)
    assert result is None or result.is_bare


@given(day=st.dates(date(1500, 1, 1), date(2100, 1, 1)), days=st.integers(0, 400), months=st.integers(0, 1200))
def test_the_day_so_long_before_is_so_long_before_the_day(day: date, days: int, months: int) -> None:
    back = before(day, days=days, months=months)
    assert back <= day
    assert abs((before(back, days=-days, months=-months) - day).days) <= 6  # months have 28 to 31 days


TIMES = [
    # what follows `things`, and the field, first and last day of each time; a minus before what is denied
    ("made since 2015", "made_on 2015-01-01 .."),
    ("made from 2015", "made_on 2015-01-01 .. 2015-12-31"),
    ("made from 2015 on", "made_on 2015-01-01 .."),
    ("made no later than March 2020", "made_on .. 2020-03-31"),
    ("made in 2014 or earlier", "made_on .. 2014-12-31"),
    ("older than 2 years", "made_on .. 2024-08-21"),
    ("made between March and May 2022", "made_on 2022-03-01 .. 2022-05-31"),
    ("made from November to February 2019", "made_on 2018-11-01 .. 2019-02-28"),
    ("made between 15 January and 3 March 2016", "made_on 2016-01-15 .. 2016-03-03"),
    ("made in 2019 or 2021", "made_on 2019-01-01 .. 2021-12-31, -made_on 2020-01-01 .. 2020-12-31"),
    ("made in neither 2019 nor 2020", "-made_on 2019-01-01 .. 2019-12-31, -made_on 2020-01-01 .. 2020-12-31"),
    ("made except in 2020", "-made_on 2020-01-01 .. 2020-12-31"),
    ("made after March 2023 but before 2024", "made_on 2023-04-01 .., made_on .. 2023-12-31"),
    ("updated last month", "updated 2026-07-01 .. 2026-07-31"),
    ("recently updated", "updated 2025-08-22 .. 2026-08-22"),
    ("that may fall", ""),
    ("over 2000 words", ""),
    ("numbered 1999", ""),
]


@pytest.mark.parametrize(("said", "times"), TIMES)
def test_a_time_is_a_condition_on_the_date_that_it_is_about(said: str, times: str) -> None:
    days = [f"20{10 + number % 17}-{1 + number % 12:02}-{1 + number % 28:02}" for number in range(60)]
    later = [f"20{15 + number % 12}-{1 + number % 12:02}-11" for number in range(60)]
    catalog = Catalog.of(
        [
            CatalogDocument(str(number), f"Thing {number}", {"made_on": made, "updated": updated})
            for number, (made, updated) in enumerate(zip(days, later, strict=True))
        ]
    )
    text = f"things {said}"
    result = temporal_refs(text, words(text), catalog, TODAY, heads={0})
    ends = [" ".join(filter(None, (str(each.start or ""), "..", str(each.end or "")))) for each in result]
    read = [f"{'-' * each.negated}{each.field} {end}" for each, end in zip(result, ends, strict=True)]
    assert ", ".join(read) == times
