import pytest

from retrieval.language.numbers.reading import quantities
from retrieval.understand.catalog.catalog import CatalogField, kind_of
from retrieval.understand.reading.number_fields import (
    dimension,
    in_unit_of,
    is_money,
    lasts,
    may_measure,
    things,
    unit_of,
)


def field(name: str, *values: float) -> CatalogField:
    kind = kind_of(name, values or (10, 40), 9, listed=False)
    return CatalogField(name, kind, listed=False, counts=dict.fromkeys(values or (10, 40), 1))


@pytest.mark.parametrize(
    ("word", "unit"),
    [("minutes", ("second", 60.0)), ("kg", ("kilogram", 1.0)), ("sqm", ("square-metre", 1.0)), ("the", ("", 1.0))],
)
def test_a_word_is_so_much_of_a_base_unit(word: str, unit: tuple[str, float]) -> None:
    assert unit_of(word) == unit


@pytest.mark.parametrize(
    ("name", "measured"),
    [
        ("length_km", "metre"),
        ("rent", "money"),
        ("price_eur", "money"),
        ("area_sqm", "square-metre"),
        ("floor_m2", "square-metre"),
        ("area_km2", "square-metre"),
        ("sq_km", "square-metre"),
        ("runtime_min", "second"),
        ("pages", None),
    ],
)
def test_a_field_measures_what_its_name_says(name: str, measured: str | None) -> None:
    assert dimension(field(name), []) == measured


def test_a_lowest_is_no_minute_beside_a_highest() -> None:
    low, high = field("players_min"), field("players_max")
    assert things(low, [low, high]) == ("player",)
    assert things(field("playing_min"), []) == ("playing", "min")
    assert things(field("min_age"), []) == ("age",)


@pytest.mark.parametrize(
    ("name", "said", "may"),
    [
        ("length_km", "5 miles", True),
        ("length_km", "5 hours", False),
        ("length_km", "€5", False),
        ("rent", "€500", True),
        ("pages", "€500", True),
        ("pages", "500 words", True),
        ("age_months", "3 weeks", True),
    ],
)
def test_no_sum_is_a_length_and_no_length_a_price(name: str, said: str, may: bool) -> None:
    (quantity,) = quantities(said)
    assert may_measure(field(name), quantity, []) is may


@pytest.mark.parametrize(
    ("name", "said", "ends"),
    [
        ("runtime_min", "2 hours", (120, 120)),
        ("length_km", "1500 to 2000 m", (1.5, 2)),
        ("area_km2", "2 square kilometres", (2, 2)),
        ("area_km2", "5000000 m²", (5, 5)),
        ("age_months", "60 days", (2, 2)),
        ("term_days", "2 months", (60, 60)),
        ("term_days", "a term of 12", (12, 12)),
        ("playing_time", "half an hour", (30, 30)),
    ],
)
def test_a_number_is_turned_into_the_unit_of_its_field(name: str, said: str, ends: tuple[float, float]) -> None:
    (quantity,) = quantities(said)
    assert in_unit_of(field(name, 10, 180), quantity, []) == pytest.approx(ends)


def test_a_field_of_durations_without_a_unit_is_in_the_one_in_which_it_has_so_long() -> None:
    (quantity,) = quantities("90 minutes")
    assert lasts(field("duration", 10, 180), quantity)
    assert not lasts(field("duration", 400, 900), quantity)
    assert not lasts(field("pages", 10, 180), quantity)


def test_fields_of_money_are_called_so() -> None:
    assert [is_money(field(name)) for name in ("salary_max", "paid_usd", "players_max")] == [True, True, False]
