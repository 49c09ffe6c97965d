from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.numbers.quantity import CARDINALS
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.times.relative import TimeSpan, amount, count, one


def said(text: str) -> list[str]:
    return [word.text.lower() for word in words(text)]


@pytest.mark.parametrize(
    ("text", "days", "months"),
    [
        ("two weeks", 14, 0),
        ("a couple of years", 0, 24),
        ("a few months", 0, 3),
        ("several days", 3, 0),
        ("a fortnight", 14, 0),
        ("half a year", 0, 6),
        ("half a century", 0, 600),
        ("a year and a half", 0, 18),
        ("two and a half years", 0, 30),
        ("1.5 years", 0, 18),
        ("one and a half months", 15, 1),
        ("three quarters of a year", 0, 9),
        ("three quarters", 0, 9),
        ("a dozen years", 0, 144),
        ("a hundred days", 100, 0),
        ("two centuries", 0, 2400),
    ],
)
def test_a_length_of_time_is_read_as_people_say_it(text: str, days: int, months: int) -> None:
    assert amount(said(text)) == TimeSpan(days, months, len(said(text)))


@pytest.mark.parametrize(
    "text",
    ["", "weeks", "2019 weeks", "third year", "five hours", "half the year", "a million years", "no days", "0 days"],
)
def test_what_is_no_length_of_time_is_none(text: str) -> None:
    assert amount(said(text)) is None


def test_a_unit_alone_is_one() -> None:
    assert one("quarter") == TimeSpan(0, 3, 1)
    assert one("hour") is None


@given(tens=st.sampled_from([word for word, value in CARDINALS.items() if value >= 20]), ones=st.integers(1, 9))
def test_a_number_in_words_is_the_one_in_figures(tens: str, ones: int) -> None:
    number = int(CARDINALS[tens]) + ones
    unit = next(word for word, value in CARDINALS.items() if value == ones)
    assert count(said(f"{tens}-{unit} days")) == (number, 3)
    assert count(said(f"{tens} {unit} days")) == (number, 2)
    assert count(said(f"{number} days")) == (number, 1)


@given(day=st.dates(date(1500, 1, 1), date(2100, 1, 1)), days=st.integers(0, 400), months=st.integers(0, 1200))
def test_the_day_so_long_before_is_so_long_before_the_day(day: date, days: int, months: int) -> None:
    span = TimeSpan(days, months, 1)
    assert span.ago(day) <= day <= span.ahead(day)
    assert abs((span.ahead(span.ago(day)) - day).days) <= 6  # months are of 28 to 31 days
