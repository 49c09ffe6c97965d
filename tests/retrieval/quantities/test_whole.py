from math import inf

import pytest

from retrieval.quantities import whole_quantity


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("5", 5, 5),
        ("9–10", 9, 10),
        ("11 (B)", 11, 11),
        ("3 (Count)", 3, 3),
        ("5 (4th Dimension)", 5, 5),
        ("10 round burst", 10, 10),
        ("1,400 tons", 1400, 1400),
        ("TL 10", 10, 10),
        ("Rounds 3-5", 3, 5),
        ("1 Red", 1, 1),
        ("3: Radius", 3, 3),
        ("15*", 15, 15),
        ("**7**", 7, 7),
        ("about 20 gp", 20, 20),
        ("10(A)+", 10, inf),
        ("7 or 8", 7, 8),
        ("7, 8 and 9", 7, 9),
        ("2-", -inf, 2),
        ("2- tons", -inf, 2),
        ("(20 ft.)", 6.096, 6.096),
        ("3 rounds/caster level", 3, 3),
        ("13(D) or 14(E)", 13, 14),
        ("No. 5", 5, 5),
        ("930 251", 930_251, 930_251),
        ("5-foot step", 1.524, 1.524),
    ],
)
def test_a_cell_that_is_a_quantity(cell, low, high):
    read = whole_quantity(cell)
    assert read is not None
    assert (read.low, read.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "-",
        "Sword, long",
        "Arrows (20)",
        "7 or 9",
        "1 in 6",
        "Fireball 3",
        "HIGH_LATENCY2",
        "3 attacks, 2 moves",
        "28 Days Later",
        "20th Century Fox",
        "1994-",
        "()",
    ],
)
def test_a_cell_that_says_something_else(cell):
    assert whole_quantity(cell) is None
