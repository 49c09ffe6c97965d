"""."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.times.periods import period
from retrieval.understand.reading.times.spans import Range
from retrieval.understand.reading.times.temporal_refs import Gap, lasting, listed, long_ago, temporal_refs, untouched

TODAY = date(2026, 8, 22)

TIMES = [
    # what follows `things`, and the field, first and last day of each time; a minus before what is denied
    ("made before the summer", "made_on .. 2026-05-31"),
    ("made last weekend", "made_on 2026-08-15 .. 2026-08-16"),
    ("made so far this year", "made_on 2026-01-01 .. 2026-08-22"),
    ("made around Christmas 2024", "made_on 2024-12-25 .. 2024-12-25"),
    ("made in late August 2025", "made_on 2025-08-21 .. 2025-08-31"),
    ("made over a year ago", "made_on .. 2025-08-21"),
    ("made less than half a year ago", "made_on 2026-02-23 .."),
    ("made in the last two and a half years", "made_on 2024-02-22 .. 2026-08-22"),
    ("made no later than March 2020", "made_on .. 2020-03-31"),
    ("made between March and May 2022", "made_on 2022-03-01 .. 2022-05-31"),
    ("made from November to February 2019", "made_on 2018-11-01 .. 2019-02-28"),
    ("made in 2019 or 2021", "made_on 2019-01-01 .. 2021-12-31, -made_on 2020-01-01 .. 2020-12-31"),
    ("made in neither 2019 nor 2020", "-made_on 2019-01-01 .. 2019-12-31, -made_on 2020-01-01 .. 2020-12-31"),
    ("made except in 2020", "-made_on 2020-01-01 .. 2020-12-31"),
    ("made 2015 at the earliest", "made_on 2015-01-01 .."),
    ("not updated since 2021", "updated .. 2020-12-31"),
    ("that haven't been touched in two years", "updated .. 2024-08-21"),
    ("untouched for five years or more", "updated .. 2021-08-21"),
    ("unchanged since March 2022", "updated .. 2022-02-28"),
    ("that have been lying there for over a year", "made_on .. 2025-08-21"),
    ("that have been lying there for less than a year", ""),
    ("made in 2014 or earlier", "made_on .. 2014-12-31"),
    ("dating from 2014 or earlier", "made_on .. 2014-12-31"),
    ("made on Monday", "made_on 2026-08-17 .. 2026-08-17"),
    ("made pre-2015", "made_on .. 2014-12-31"),
    ("made up to and including 2017", "made_on .. 2017-12-31"),
    ("made in '19", "made_on 2019-01-01 .. 2019-12-31"),
    ("made in March of last year", "made_on 2025-03-01 .. 2025-03-31"),
    ("made two summers ago", "made_on 2024-06-01 .. 2024-08-31"),
    ("older than a dozen years", "made_on .. 2014-08-21"),
    ("at least five years old", "made_on .. 2021-08-21"),
    ("made after 1st June 2023 but before 2024", "made_on 2023-06-02 .., made_on .. 2023-12-31"),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    days = [f"20{10 + number % 17}-{1 + number % 12:02}-{1 + number % 28:02}" for number in range(60)]
    later = [f"20{15 + number % 12}-{1 + number % 12:02}-11" for number in range(60)]
    return Catalog.of(
        [
            CatalogDocument(str(number), f"Thing {number}", {"made_on": made, "updated": updated})
            for number, (made, updated) in enumerate(zip(days, later, strict=True))
        ]
    )


@pytest.mark.parametrize(("said", "times"), TIMES)
def test_a_time_is_a_condition_on_the_date_that_it_is_about(catalog: Catalog, said: str, times: str) -> None:
    text = f"things {said}"
    result = temporal_refs(text, words(text), catalog, TODAY, heads={0})
    ends = [" ".join(filter(None, (str(each.start or ""), "..", str(each.end or "")))) for each in result]
    read = [f"{'-' * each.negated}{each.field} {end}" for each, end in zip(result, ends, strict=True)]
    assert ", ".join(read) == times


@pytest.mark.parametrize("said", ["that may fall", "over 2000 words", "for the second half", "numbered 1999"])
def test_a_number_or_month_that_is_none_is_no_time(catalog: Catalog, said: str) -> None:
    text = f"things {said}"
    assert temporal_refs(text, words(text), catalog, TODAY, heads={0}) == ()


def read(text: str) -> tuple[Range, tuple[Gap, ...]]:
    output = words(text)
    first = period(output, 0, TODAY)
    assert first is not None
    return listed(output, Range(first.start, first.end, 0, first.length, 0.9), TODAY)


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
    result, between = read(text)
    assert (str(result.start), str(result.end), result.stop) == (start, end, len(words(text)))
    assert [f"{first} {last}" for first, last in between] == gaps


@pytest.mark.parametrize("text", ["2021 or 2019", "2019 and snow", "2019 or earlier", "2019,"])
def test_what_is_no_list_of_rising_times_ends_with_the_first(text: str) -> None:
    result, gaps = read(text)
    assert (result.end, result.stop, gaps) == (date(int(text[:4]), 12, 31), 1, ())


def test_an_open_time_is_no_list() -> None:
    since = Range(date(2019, 1, 1), None, 0, 2, 0.9)
    assert listed(words("since 2019 and 2020"), since, TODAY) == (since, ())


@given(
    years=st.sets(st.integers(1950, 2020), min_size=2, max_size=6), joint=st.sampled_from([" or ", ", ", " and in "])
)
def test_what_is_in_the_list_and_in_no_gap_are_its_years(years: set[int], joint: str) -> None:
    result, gaps = read(joint.join(map(str, sorted(years))))
    assert result.start is not None
    assert result.end is not None
    kept = {
        year
        for year in range(result.start.year, result.end.year + 1)
        if not any(first <= date(year, 6, 1) <= last for first, last in gaps)
    }
    assert kept == years


TASKS = Catalog.of(
    [CatalogDocument(str(day), "Task", {"updated": f"2026-01-{day:02}", "state": "open"}) for day in range(1, 9)]
)
TRIPS = Catalog.of(
    [CatalogDocument(str(day), "Trip", {"updated": f"2026-01-{day:02}", "days": day}) for day in range(1, 9)]
)


def ends(found: Range | None) -> str:
    return "none" if found is None else f"{found.start or ''}..{found.end or ''}"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("over a year ago", "..2025-08-21"),
        ("well over a year ago", "..2025-08-21"),
        ("less than a week ago", "2026-08-16.."),
        ("at most two years old", "2024-08-23.."),
        ("under two years", "none"),
        ("a year ago", "none"),
    ],
)
def test_what_is_longer_or_shorter_ago(said: str, found: str) -> None:
    assert ends(long_ago(words(said), 0, TODAY)) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("nobody updated for a year", "..2025-08-21"),
        ("not updated in over six months", "..2026-02-21"),
        ("never changed since March", "..2026-02-28"),
        ("just untouched for a year or longer", "..2025-08-21"),
        ("not updated in under six months", "none"),
        ("all updated in six months", "none"),
    ],
)
def test_what_nobody_touched_for_so_long_was_touched_before(said: str, found: str) -> None:
    assert ends(untouched(words(said), 2, TODAY, TASKS)) == found


def test_what_has_been_so_for_so_long_is_so_old_where_no_field_is_a_duration() -> None:
    output = words("that have been waiting for two weeks")
    assert ends(lasting(output, 4, TODAY, TASKS, valued=())) == "..2026-08-07"
    assert lasting(output, 4, TODAY, TRIPS, valued=()) is None


def test_a_value_for_so_long_is_so_old_and_another_word_is_not() -> None:
    output = words("open for more than two weeks")
    assert ends(lasting(output, 1, TODAY, TASKS, valued={0})) == "..2026-08-07"
    assert lasting(output, 1, TODAY, TASKS, valued=()) is None
