"""."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.rag.cells import Cell
from retrieval.rag.conclusions import compare_sides, yes_or_no


def cell(column: str, text: str) -> Cell:
    return Cell("c", column, text, 0, 0.9)


@pytest.mark.parametrize(
    ("question", "column", "text", "wanted"),
    [
        ("Is the key required?", "Presence", "**Required**", "Yes"),
        ("Is the key required?", "Presence", "Optional", "No"),
        ("Is the key optional?", "Presence", "Required", "No"),
        ("Does it support refunds?", "Refunds", "✓", "Yes"),
        ("What does it support?", "Refunds", "Yes", ""),
        ("Is it stable or experimental?", "Stable", "Yes", ""),
        ("Can I open 300 connections?", "Maximum connections", "255", "No: at most 255"),
        ("Can I open 200 connections?", "Maximum connections", "255", "Yes"),
        ("Is a fee of 3 enough?", "Minimum fee", "5", "No: at least 5"),
        ("Can I open 300 connections?", "Connections", "255", ""),
    ],
)
def test_a_cell_decides_yes_or_no(question: str, column: str, text: str, wanted: str) -> None:
    assert yes_or_no(question, cell(column, text)) == wanted


def compared(question: str, first: str, second: str) -> str:
    return compare_sides(question, ["A", "B"], [cell("Cost", first), cell("Cost", second)])


def test_the_difference_is_told_where_it_is_wanted() -> None:
    assert compared("how much more does B cost", "2 gp", "15 gp") == "More: B (15 gp against 2 gp). Difference: 13 gp."
    assert compared("difference in cost", "1,000", "250") == "Difference: 750."


def test_values_of_other_units_and_texts_are_not_compared() -> None:
    assert compared("which costs more", "2 kg", "15 m") == ""
    assert compared("which costs more", "2-4", "15") == ""
    assert compared("which costs more", "cheap", "15") == ""
    assert compared("who hits more easily", "8", "13") == ""


def test_equal_values_are_the_same() -> None:
    assert compared("which costs more", "8", "8") == "Both are the same: 8."


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_of_two_is_less_of_the_other(first: int, second: int) -> None:
    more, less = (compared(f"which costs {word}", str(first), str(second)) for word in ("more", "less"))
    if first == second:
        assert more == less
    else:
        assert more.startswith(f"More: {'A' if first > second else 'B'}")
        assert less.startswith(f"Less: {'B' if first > second else 'A'}")
