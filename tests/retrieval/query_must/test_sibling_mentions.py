"""Amounts that rows stand for, and those that a question says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.numbers import quantities
from retrieval.query_must import canonical
from retrieval.query_must.sibling_mentions import AmountInterval, known_unit, mentioned_amounts, row_amounts


def amounts(cell: str, column: str = "") -> list[AmountInterval]:
    return list(row_amounts(quantities(cell)[0], column))


def read_amounts(question: str) -> list[tuple[str, float, tuple[int, int]]]:
    return [(amount.amount.unit, amount.amount.low, amount.span) for amount in mentioned_amounts(canonical(question))]


def test_the_amounts_of_a_question_are_found_among_its_tokens() -> None:
    assert read_amounts("3.4 kg to zone 4, twelve kilos by sea") == [
        ("kilogram", 3.4, (0, 2)),
        ("kilogram", 12, (5, 7)),
    ]
    assert read_amounts("to zone 4") == []
    assert read_amounts("the gauge reads 148.57") == [("", 148.57, (3, 4))]


def test_fractions_of_names_dates_and_dice_are_no_amounts() -> None:
    assert read_amounts("challenge 1/4 in half plate, a half-elf's second half of the year") == []
    assert read_amounts("2d6 on 12 March 1994") == []


@pytest.mark.parametrize(
    ("cell", "column", "question"),
    [
        ("over 3 to 4 kg", "Weight", "3.4 kg"),
        ("over 3 to 4 kg", "Weight", "3,500 g"),
        ("up to 0.5 kg", "Weight", "500 g"),
        ("60", "Points", "60 points"),
        ("11-15", "Height (paces)", "fell 12 paces"),
        ("-15 to 0 °C", "Temperature", "-8 degrees"),
        ("148.55 - 148.59", "Depth", "reads 148.57"),
        ("25%", "Toll", "a quarter of the catch"),
        ("50 %", "Toll", "half the catch"),
    ],
)
def test_a_row_holds_what_lies_in_its_step(cell: str, column: str, question: str) -> None:
    (query,) = mentioned_amounts(canonical(question))
    assert any(held.holds(query.amount) for held in amounts(cell, column))


@pytest.mark.parametrize(
    ("cell", "column", "question"),
    [
        ("over 3 to 4 kg", "Weight", "4.2 kg"),
        ("over 3 to 4 kg", "Weight", "3.4 mm"),
        ("60", "Points", "60 kg"),
        ("3", "Level", "3 kg"),
        ("over 1 to 2 kg", "Weight", "which costs 1.60"),
    ],
)
def test_a_row_does_not_hold_what_lies_outside_or_counts_something_else(cell: str, column: str, question: str) -> None:
    (query,) = mentioned_amounts(canonical(question))
    assert not any(held.holds(query.amount) for held in amounts(cell, column))


def test_a_unit_is_known_by_its_longest_beginning() -> None:
    assert known_unit("thaler", {"th", "t"}) == "th"
    assert known_unit("thaler", {"t"}) == "thaler"
    assert known_unit("kilogram", {"kilogram", "kilo"}) == "kilogram"


@given(st.floats(0.001, 1e6), st.sampled_from(["kg", "g", "mg"]))
def test_a_value_is_in_its_own_row_whatever_unit_it_is_written_in(value: float, unit: str) -> None:
    grams = {"kg": 1000.0, "g": 1.0, "mg": 0.001}[unit]
    (row,) = quantities(f"{value:.6f} {unit}")
    (query,) = quantities(f"{float(f'{value:.6f}') * grams:.12f} g")
    held = [amount for amount in row_amounts(row, "") if amount.unit == "kilogram"]
    assert held[0].holds(AmountInterval("kilogram", query.low, query.high))
