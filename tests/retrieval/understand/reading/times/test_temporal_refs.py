from datetime import date

import pytest

from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.times.temporal_refs import temporal_refs

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
            Described(str(number), f"Thing {number}", {"made_on": made, "updated": updated})
            for number, (made, updated) in enumerate(zip(days, later, strict=True))
        ]
    )


@pytest.mark.parametrize(("said", "times"), TIMES)
def test_a_time_is_a_condition_on_the_date_that_it_is_about(catalog: Catalog, said: str, times: str) -> None:
    text = f"things {said}"
    found = temporal_refs(text, words(text), catalog, TODAY, heads={0})
    ends = [" ".join(filter(None, (str(each.start or ""), "..", str(each.end or "")))) for each in found]
    read = [f"{'-' * each.negated}{each.field} {end}" for each, end in zip(found, ends, strict=True)]
    assert ", ".join(read) == times


@pytest.mark.parametrize("said", ["that may fall", "over 2000 words", "for the second half", "numbered 1999"])
def test_a_number_or_month_that_is_none_is_no_time(catalog: Catalog, said: str) -> None:
    text = f"things {said}"
    assert temporal_refs(text, words(text), catalog, TODAY, heads={0}) == ()
