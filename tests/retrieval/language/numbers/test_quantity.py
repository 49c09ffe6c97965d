import pytest

from retrieval.language.numbers import holds, quantities, whole_quantity


@pytest.mark.parametrize(
    ("cell", "asked", "held"),
    [
        ("9–10", "a roll of 10", True),
        ("9–10", "a roll of 11", False),
        ("9–10", "9 to 10", True),
        ("9–10", "9 to 11", False),
        ("17+", "20", True),
        ("0 or less", "-3", True),
        ("<10", "10", False),
        ("more than 2,000 tons", "2000 tons", False),
        ("1-2 hours", "90 minutes", True),
        ("90 minutes", "90", True),
        ("90 minutes", "5400", False),
        ("90", "90 minutes", True),
        ("10 ft.", "10 lb", False),
        ("5 rounds", "5 turns", False),
        ("46%–55%", "half of the surface", True),
        ("46%–55%", "a quarter of it", False),
        ("1/2", "50%", True),
        ("1,100 – 2000 tons", "an 1,800 ton ship", True),
        ("10 round burst", "a ten-round burst", True),
        ("1d6", "1d6 damage", True),
        ("1d6", "3", False),
        ("1.2.10", "version 1.2.10", True),
        ("1.2.10", "1.2", False),
        ("7th", "7", True),
    ],
)
def test_a_cell_holds_what_lies_in_it(cell, asked, held):
    whole, number = whole_quantity(cell), quantities(asked)[0]
    assert whole is not None
    assert holds(whole, number) is held
