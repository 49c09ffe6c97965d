from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.words import words
from retrieval.understand.reading.times.bounds import Range
from retrieval.understand.reading.times.listed import Gap, listed
from retrieval.understand.reading.times.periods import period

TODAY = date(2026, 8, 22)


def read(text: str) -> tuple[Range, tuple[Gap, ...]]:
    said = words(text)
    first = period(said, 0, TODAY)
    assert first is not None
    return listed(said, Range(first.start, first.end, 0, first.length, 0.9), TODAY)


@pytest.mark.parametrize(
    ("text", "start", "end", "gaps"),
    [
        ("2019 and 2020", "2019-01-01", "2020-12-31", []),
        ("2019 or in 2021", "2019-01-01", "2021-12-31", ["2020-01-01 2020-12-31"]),
        ("2017, 2019, or 2021", "2017-01-01", "2021-12-31", ["2018-01-01 2018-12-31", "2020-01-01 2020-12-31"]),
        ("January and March 2024", "2024-01-01", "2024-03-31", ["2024-02-01 2024-02-29"]),
        ("February or March 2024", "2024-02-01", "2024-03-31", []),
        ("December or January 2024", "2023-12-01", "2024-01-31", []),
        ("Q1 2024 or Q3 2024", "2024-01-01", "2024-09-30", ["2024-04-01 2024-06-30"]),
    ],
)
def test_times_of_a_list_are_one_from_the_first_to_the_last_with_gaps(
    text: str, start: str, end: str, gaps: list[str]
) -> None:
    found, between = read(text)
    assert (str(found.start), str(found.end), found.stop) == (start, end, len(words(text)))
    assert [f"{first} {last}" for first, last in between] == gaps


@pytest.mark.parametrize("text", ["2021 or 2019", "2019 and snow", "2019 or earlier", "2019,"])
def test_what_is_no_list_of_rising_times_ends_with_the_first(text: str) -> None:
    found, gaps = read(text)
    assert (found.end, found.stop, gaps) == (date(int(text[:4]), 12, 31), 1, ())


def test_an_open_time_is_no_list() -> None:
    since = Range(date(2019, 1, 1), None, 0, 2, 0.9)
    assert listed(words("since 2019 and 2020"), since, TODAY) == (since, ())


@given(
    years=st.sets(st.integers(1950, 2020), min_size=2, max_size=6), joint=st.sampled_from([" or ", ", ", " and in "])
)
def test_what_is_in_the_list_and_in_no_gap_are_its_years(years: set[int], joint: str) -> None:
    found, gaps = read(joint.join(map(str, sorted(years))))
    assert found.start is not None
    assert found.end is not None
    kept = {
        year
        for year in range(found.start.year, found.end.year + 1)
        if not any(first <= date(year, 6, 1) <= last for first, last in gaps)
    }
    assert kept == years
