"""What the cells of a column stand for, by its heading and by the rows beside them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.numbers import holds, quantities, whole_quantity
from retrieval.language.numbers.columns import (
    LONGEST_QUANTITY,
    closed_ladder,
    column_noun,
    column_unit,
    figure_of_cell,
    interval_columns,
    joined,
)


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("Weight (g)", "g"),
        ("Weight in kg", "kg"),
        ("Weight, g", "g"),
        ("Body weight kg", "kg"),
        ("Minutes late", "Minutes"),
        ("Gap, mm (D4)", "mm"),
        ("Length (over all) mm", "mm"),
        ("Speed (km/h)", "km/h"),
        ("kbit/s", "kbit/s"),
        ("Baud rate", "Baud"),
        ("Load (in %)", "%"),
        ("Age at the end of the term", "years"),
        ("Day", None),
        ("Min", None),
        ("Speed in", None),
        ("Level", None),
        ("", None),
    ],
)
def test_a_heading_says_its_unit(column: str, unit: str | None) -> None:
    assert column_unit(column) == unit


@pytest.mark.parametrize(
    ("column", "noun"),
    [("Points", "point"), ("Height (paces)", "pace"), ("Level", None), ("Class", None), ("Weight (kg)", None)],
)
def test_a_heading_in_the_plural_says_what_it_counts(column: str, noun: str | None) -> None:
    assert column_noun(column) == noun


def test_a_number_counts_what_its_column_says() -> None:
    figure = figure_of_cell("over 3 to 4", "Weight (kg)", is_key=True)
    assert (figure.unit, figure.low > 3, figure.high) == ("kilogram", True, 4)
    own = figure_of_cell("500 g", "Weight (kg)", is_key=True)
    assert own.high == 0.5


def test_the_step_among_the_words_of_a_key_is_read_and_that_of_another_cell_is_not() -> None:
    assert figure_of_cell("Parcel over 5 to 20 kg", "Item", is_key=False) is None
    figure = figure_of_cell("Parcel over 5 to 20 kg", "Item", is_key=True)
    assert figure.high == 20


@pytest.mark.parametrize(
    ("cell", "number", "label"), [("Class IV", 4, "class"), ("Mark XIX", 19, "mark"), ("Type I", 1, "type")]
)
def test_a_key_may_count_in_roman_numbers(cell: str, number: int, label: str) -> None:
    figure = figure_of_cell(cell, "", is_key=True)
    assert (figure.low, figure.high, figure.label) == (number, number, label)
    assert figure_of_cell(cell, "", is_key=False) is None


@pytest.mark.parametrize("cell", ["Class IV-B", "class iv", "IV", "Mix", "Class IIII", "Vitamin C", "No X V"])
def test_other_words_and_letters_are_no_roman_numbers(cell: str) -> None:
    assert figure_of_cell(cell, "", is_key=True) is None


@pytest.mark.parametrize("cell", ["", "2d6", "12 March 1994", "long ago", "7" + " " * LONGEST_QUANTITY])
def test_what_has_no_place_on_the_line_of_numbers_is_no_figure(cell: str) -> None:
    assert figure_of_cell(cell, "Weight (kg)", is_key=True) is None


def test_steps_that_are_open_end_at_the_next_and_rows_without_a_number_are_passed_over() -> None:
    keys = [whole_quantity("up to 20 g"), None, whole_quantity("up to 50 g")]
    first, nothing, last = closed_ladder(keys)
    assert nothing is None
    assert first is not None
    assert last is not None
    assert (first.low, first.high) == (-math.inf, 0.02)
    assert 0.02 < last.low < 0.0201


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        (("Over, kg", "Up to, kg"), (0,)),
        (("From km", "To km", "Passenger (km/h)"), (0,)),
        (("Class", "Over", "Up to and including"), (1,)),
        (("Grade", "Temperature min (°C)", "Temperature max (°C)"), (1,)),
        (("From", "To", "From", "To"), (0, 2)),
        (("≥", "<"), (0,)),
        (("Up to, kg", "Over, kg"), ()),
        (("From km", "To mile"), ()),
        (("From", "Price", "To"), ()),
        (("Level", "Cost"), ()),
        (("", ""), ()),
        ((), ()),
    ],
)
def test_columns_are_a_pair_if_they_are_called_alike_but_for_the_bound(columns, places):
    assert interval_columns(columns) == places


@pytest.mark.parametrize(
    "cells", [("73", "81", "Hawk"), ("over 73", "81", "Hawk"), ("over 73 kg", "up to 81 kg", "Hawk")]
)
def test_a_number_between_the_two_ends_lies_in_the_row(cells: tuple[str, ...]) -> None:
    columns = ("Over, kg", "Up to, kg", "Class")
    result = joined(
        columns, [figure_of_cell(cell, column, is_key=False) for cell, column in zip(cells, columns, strict=True)]
    )
    (query,) = quantities("a man of 77 kg")

    assert result[0] is not None
    assert holds(result[0], query)
    assert not holds(result[0], quantities("73 kg")[0])
    assert holds(result[0], quantities("81 kg")[0])
    assert result[1:] == [None, None]


@pytest.mark.parametrize("cells", [("81", "73"), ("73", "–"), ("", "81"), ("73 kg", "81 m")])
def test_cells_that_are_no_two_ends_stay_what_they_are(cells: tuple[str, str]) -> None:
    columns = ("From", "To")
    apart = [figure_of_cell(cell, column, is_key=False) for cell, column in zip(cells, columns, strict=True)]

    assert joined(columns, apart) == apart


@given(st.integers(-500, 500), st.integers(0, 500), st.integers(-1100, 1100))
def test_the_interval_of_two_cells_is_the_one_that_a_single_cell_would_say(low: int, width: int, asked: int) -> None:
    apart = [whole_quantity(str(low)), whole_quantity(str(low + width))]
    whole, end = joined(("From", "To"), apart)
    (number,) = quantities(f"{asked}")

    assert whole is not None
    assert end is None
    assert holds(whole, number) == (low <= asked <= low + width)


@given(low=st.integers(1, 40), width=st.integers(0, 30), asked=st.integers(1, 80))
@pytest.mark.parametrize(
    ("bound", "meets"),
    [
        ("below {}", lambda low, _, asked: low < asked),
        ("at most {}", lambda low, _, asked: low <= asked),
        ("over {}", lambda _, high, asked: high > asked),
        ("{} or more", lambda _, high, asked: high >= asked),
    ],
)
def test_a_bound_is_met_by_every_interval_that_reaches_beyond_it(bound, meets, low: int, width: int, asked: int):
    cell = whole_quantity(f"{low}-{low + width}" if width else str(low))
    (number,) = quantities(bound.format(asked))

    assert cell is not None
    assert holds(cell, number) == meets(low, low + width, asked)
