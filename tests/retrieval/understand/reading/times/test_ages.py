from datetime import date

import pytest

from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.times.ages import lasting, long_ago, untouched
from retrieval.understand.reading.times.bounds import Range

TODAY = date(2026, 8, 22)
TASKS = Catalog.of(
    [Described(str(day), "Task", {"updated": f"2026-01-{day:02}", "state": "open"}) for day in range(1, 9)]
)
TRIPS = Catalog.of([Described(str(day), "Trip", {"updated": f"2026-01-{day:02}", "days": day}) for day in range(1, 9)])


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
    said = words("that have been waiting for two weeks")
    assert ends(lasting(said, 4, TODAY, TASKS, valued=())) == "..2026-08-07"
    assert lasting(said, 4, TODAY, TRIPS, valued=()) is None


def test_a_value_for_so_long_is_so_old_and_another_word_is_not() -> None:
    said = words("open for more than two weeks")
    assert ends(lasting(said, 1, TODAY, TASKS, valued={0})) == "..2026-08-07"
    assert lasting(said, 1, TODAY, TASKS, valued=()) is None
