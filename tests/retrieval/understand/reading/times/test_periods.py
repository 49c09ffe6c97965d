"""."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.words import Word, words
from retrieval.understand.reading.times.periods import part, period
from retrieval.understand.reading.times.spans import Period, before

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
    result = period(words(text), 0, TODAY)
    assert result is not None
    assert (result.start.isoformat(), result.end.isoformat(), result.length) == (start, end, len(words(text)))


@pytest.mark.parametrize("text", ["may the force", "31 February 2020", "2024-13-45", "first half", "dagger", "9999999"])
def test_what_is_no_time_is_none(text: str) -> None:
    result = period(words(text), 0, TODAY)
    assert result is None or result.is_bare


def test_months_back_end_at_a_shorter_months_last_day() -> None:
    assert before(date(2024, 3, 31), months=1) == date(2024, 2, 29)
    assert before(date(2024, 2, 29), years=1) == date(2023, 2, 28)


def part_of(text: str, at: int = 0) -> Period | None:
    result = words(text)
    return part(result, at, [word.text.lower() for word in result[at : at + 8]], TODAY, period)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("the first half of March 2020", "2020-03-01", "2020-03-15"),
        ("the second half of March 2020", "2020-03-16", "2020-03-31"),
        ("the last third of 2021", "2021-09-01", "2021-12-31"),
        ("first quarter of the year", "2026-01-01", "2026-03-31"),
        ("the first week of June 2024", "2024-06-01", "2024-06-07"),
        ("the third week of June 2024", "2024-06-15", "2024-06-21"),
        ("the fifth month of 2024", "2024-05-01", "2024-05-31"),
        ("the first ten days of May 2024", "2024-05-01", "2024-05-10"),
        ("the last two months of 2023", "2023-11-01", "2023-12-31"),
        ("the first half of the 1990s", "1990-01-01", "1994-12-31"),
        ("mid-January 2027", "2027-01-11", "2027-01-20"),
        ("early 2015", "2015-01-01", "2015-04-30"),
        ("late 1980s", "1987-01-01", "1989-12-31"),
        ("the early nineteenth century", "1801-01-01", "1834-04-30"),
        ("late last month", "2026-07-21", "2026-07-31"),
    ],
)
def test_a_part_of_a_time_is_read(text: str, start: str, end: str) -> None:
    part = part_of(text)
    assert part is not None
    assert (str(part.start), str(part.end), part.length) == (start, end, len(words(text)))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("by the middle of March 2024", "2024-03-15", "2024-03-15"),
        ("until the end of 1970", "1970-12-31", "1970-12-31"),
        ("since the start of 2020", "2020-01-01", "2020-01-01"),
        ("towards the end of 1970", "1970-09-01", "1970-12-31"),
        ("in the middle of 2024", "2024-05-01", "2024-08-31"),
    ],
)
def test_an_end_of_a_time_is_a_day_behind_what_bounds_and_a_third_behind_what_is_loose(
    text: str, start: str, end: str
) -> None:
    part = part_of(text, at=1)
    assert part is not None
    assert (str(part.start), str(part.end)) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "first half",
        "the first week",
        "early yesterday",
        "the fifth half of 2020",
        "the sixth week of May 2024",
        "middle",
        "the first half of 5 March 2024",
    ],
)
def test_what_a_time_has_not_is_no_part_of_it(text: str) -> None:
    assert part_of(text) is None


WHOLE = st.one_of(
    st.integers(1900, 2050).map(str),
    st.tuples(st.sampled_from(["January", "February", "June", "Q1", "H2", "summer"]), st.integers(1900, 2050)).map(
        lambda two: f"{two[0]} {two[1]}"
    ),
    st.integers(12, 20).map(lambda century: f"the {century}th century"),
    st.integers(190, 204).map(lambda decade: f"the {decade}0s"),
)


@given(whole=WHOLE, piece=st.sampled_from([("half", ("first", "second")), ("third", ("first", "second", "third"))]))
def test_the_parts_of_a_time_lie_one_behind_the_other_and_are_all_of_it(
    whole: str, piece: tuple[str, Sequence[str]]
) -> None:
    all_of_it = period(words(whole), 0, TODAY)
    name, ordinals = piece
    result = [part_of(f"the {ordinal} {name} of {whole}") for ordinal in ordinals]
    assert all_of_it is not None
    assert result[-1] == part_of(f"the last {name} of {whole}")
    day = all_of_it.start
    for each in result:
        assert each is not None
        assert each.start == day <= each.end
        day = each.end + timedelta(days=1)
    assert day == all_of_it.end + timedelta(days=1)


def test_the_time_is_read_by_what_is_handed_in() -> None:
    def always(_: Sequence[Word], at: int, today: date) -> Period:
        return Period(today, today + timedelta(days=99), 1)

    assert part(words("early x"), 0, ["early", "x"], TODAY, always) == Period(TODAY, TODAY + timedelta(days=32), 2)
