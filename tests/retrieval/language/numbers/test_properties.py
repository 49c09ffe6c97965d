"""What holds of every text: nothing is raised, spans are in order, and a number reads back in any spelling."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.numbers import holds, quantities, whole_quantity
from retrieval.language.numbers.quantity import CARDINALS, measure

ONES = list(CARDINALS)[:20]
TENS = list(CARDINALS)[20:]
WORDS = """
0 1 7 00 12 1,100 2.5 .5 1/2 3/4 ½ 1d6 1.2.3 10:30 0x1F 2^10 5+3 1e6 Cr $ x × - – − + ' " % ° ( ) . , : # / ^ _
one a half quarter third second hundred and thousand million dozen to between from up or more less under at least
tons ft in m s per cent degrees C sq the which level of no MAVLink H264 st th g G k
"""
SCRAPS = WORDS.split()
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(SCRAPS), max_size=14).map(" ".join),
    st.lists(st.sampled_from(SCRAPS), max_size=14).map("".join),
)


def below_thousand(number: int, joint: str, hyphen: str) -> str:
    hundreds, rest = divmod(number, 100)
    small = ONES[rest] if rest < 20 else TENS[rest // 10 - 2] + (hyphen + ONES[rest % 10] if rest % 10 else "")
    if not hundreds:
        return small
    return f"{ONES[hundreds]} hundred" + (joint + small if rest else "")


def in_words(number: int, joint: str, hyphen: str) -> str:
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return below_thousand(rest, joint, hyphen)
    head = below_thousand(thousands, joint, hyphen) + " thousand"
    if not rest:
        return head
    return head + (" " if rest >= 100 else joint) + below_thousand(rest, joint, hyphen)


@given(st.integers(0, 999_999), st.sampled_from([" ", " and "]), st.sampled_from(["-", " "]))
def test_a_number_in_words_reads_back(number, joint, hyphen):
    (read,) = quantities(in_words(number, joint, hyphen))
    assert (read.low, read.high, read.unit) == (number, number, None)


@given(st.integers(11, 99).filter(lambda number: number % 10))
def test_hundreds_of_a_teen_read_back(number):
    (read,) = quantities(f"{below_thousand(number, ' ', '-')} hundred tons")
    assert (read.low, read.unit) == (number * 100, "ton")


@given(st.integers(-(10**12), 10**12))
def test_thousands_with_commas_read_back(number):
    read = whole_quantity(f"{number:,}")
    assert read.low == read.high == number


@given(
    st.integers(-999, 999),
    st.integers(1, 500),
    st.sampled_from(["-", "–", " - ", " – ", " to ", " through "]),
    st.sampled_from(["", " tons", "%", " ft.", " hours"]),
)
def test_a_range_holds_its_ends_and_its_middle_and_nothing_outside(low, width, joint, unit):
    high = low + width
    cell = whole_quantity(f"{low}{joint}{high}{unit}")
    assert cell is not None
    for number in (low, high, low + width // 2):
        assert holds(cell, quantities(f"a {number}{unit} thing")[0])
        assert holds(cell, quantities(f"roll of {number}")[0])
    assert not holds(cell, quantities(f"{low - 1}{unit}")[0])
    assert not holds(cell, quantities(f"{high + 1}{unit}")[0])


@given(
    st.integers(1, 99_999),
    st.integers(0, 99_999),
    st.sampled_from(
        [("minutes", "hours"), ("seconds", "days"), ("ft", "miles"), ("inches", "km"), ("oz", "kg"), ("bits", "KiB")]
    ),
)
def test_holding_does_not_depend_on_the_unit(low, width, units):
    small, large = (measure(word) for word in units)
    assert small is not None
    assert large is not None
    high = low + width
    cell = whole_quantity(f"{low} to {high} {units[0]}")
    assert cell is not None
    for number in (low, high, high + 1):
        converted = quantities(f"{number * small.factor / large.factor:.25f} {units[1]}")[0]
        assert holds(cell, converted) == (number <= high)


@given(TEXTS)
def test_spans_lie_in_the_text_in_order_and_say_what_was_read(text):
    read = quantities(text)
    assert all(0 <= each.start < each.end <= len(text) and each.text == text[each.start : each.end] for each in read)
    assert all(first.end <= second.start for first, second in pairwise(read))
    assert all(each.low <= each.high or each.low != each.low for each in read)


@given(TEXTS)
def test_a_whole_quantity_lies_in_its_cell_and_holds_itself(text):
    read = whole_quantity(text)
    if read is not None:
        assert read.text == text[read.start : read.end]
        assert holds(read, read)


@given(TEXTS, TEXTS)
def test_holding_never_raises(cell, asked):
    whole = whole_quantity(cell)
    if whole is not None:
        assert all(holds(whole, quantity) in (True, False) for quantity in quantities(asked))


@pytest.mark.parametrize(
    "scrap",
    [
        "1",
        "1,",
        "1,000",
        "1.",
        "1.000,",
        "-",
        "1-",
        "one ",
        "one hundred and ",
        "a half ",
        "and ",
        "(",
        "x",
        "5' ",
        "1 ft 1 in ",
        "1/",
        "1d",
    ],
)
def test_a_long_text_takes_time_in_proportion(scrap):
    def seconds(length: int) -> float:
        text = scrap * (length // len(scrap))
        taken = []
        for _ in range(3):
            start = time.process_time()
            quantities(text)
            taken.append(time.process_time() - start)
        return min(taken)

    seconds(1000)
    assert seconds(10_000) < 40 * max(seconds(1000), 0.01)
