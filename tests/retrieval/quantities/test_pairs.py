"""Two columns that are the ends of one interval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.quantities import holds, quantities, whole_quantity
from retrieval.quantities.columns import figure_of_cell
from retrieval.quantities.pairs import interval_columns, joined


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
def test_columns_are_a_pair_if_they_are_called_alike_but_for_the_bound(
    columns: tuple[str, ...], places: tuple[int, ...]
) -> None:
    assert interval_columns(columns) == places


@pytest.mark.parametrize(
    "cells", [("73", "81", "Hawk"), ("over 73", "81", "Hawk"), ("over 73 kg", "up to 81 kg", "Hawk")]
)
def test_a_number_between_the_two_ends_lies_in_the_row(cells: tuple[str, ...]) -> None:
    columns = ("Over, kg", "Up to, kg", "Class")
    found = joined(
        columns, [figure_of_cell(cell, column, is_key=False) for cell, column in zip(cells, columns, strict=True)]
    )
    (asked,) = quantities("a man of 77 kg")

    assert found[0] is not None
    assert holds(found[0], asked)
    assert not holds(found[0], quantities("73 kg")[0])
    assert holds(found[0], quantities("81 kg")[0])
    assert found[1:] == [None, None]


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
