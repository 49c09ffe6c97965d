import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.numbers.cells import NumberRange, is_numeric, parse_range, typed, way_that_is_better


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("7", 7, 7), ("-2", -2, -2), ("−2", -2, -2), ("9th", 9, 9), ("5-8", 5, 8), ("16–25", 16, 25), ("1st-3rd", 1, 3),
        ("10 to -10", -10, 10), ("-5 - -2", -5, -2), ("51-70", 51, 70), ("96-00", 96, 100), ("00", 100, 100),
        ("01", 1, 1), ("50-31 lb.", 31, 50), ("1,001-2,000", 1001, 2000), ("13+", 13, None), ("20 or more", 20, None),
        ("3 or less", None, 3), ("25%", 25, 25), ("18*", 18, 18), ("1--3", 1, 3), ("1st -- 3rd", 1, 3),
        ("96--00", 96, 100), ("-2--5", -5, -2), ("2 or 3", 2, 3), ("2 and 3 hours", 2, 3), ("12h", 12, 12),
        ("8.", 8, 8), ("12)", 12, 12), ("17+ kg", 17, None), ("1 000", 1000, 1000), ("2 (Accept Radius)", 2, 2),
        ("twenty-one to thirty", 21, 30), ("1-1", 1, 1),
    ],
)  # fmt: skip
def test_numbers_and_ranges_are_read(text, low, high):
    assert parse_range(text) == NumberRange(low, high)


@pytest.mark.parametrize(
    "text",
    [
        "", "2d6", "1/4", "Type 10", "5+1 to 6", "2½", "One object or creature", "0xFF", "4.00", "-", "—",
        "7 or so it seems to be", "3.5", "5 or 9", "00h", "0Dh", "2Ch",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_range_is_none(text):
    assert parse_range(text) is None


def test_a_range_is_expanded_up_to_a_hundred_values():
    assert parse_range("5-8").values == (5, 6, 7, 8)
    assert parse_range("1-100").values[-1] == 100
    assert parse_range("1-101").values == ()
    assert parse_range("13+").values == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12), ("1,100", 1100), ("-3", -3), ("2.65", 2.65), ("01", "01"), ("+3", "+3"), ("2d6", "2d6"), ("0", 0)],
)
def test_only_exact_numbers_become_numbers(text, value):
    assert typed(text) == value
    assert type(typed(text)) is type(value)


@pytest.mark.parametrize(
    "text", ["3.10", ".5", "-007", "-0", "0,123", "٣", f"{'9' * 400}.5", "9" * 16, "9" * 4301, "0.1000000000000000055"]
)
def test_a_number_that_would_print_otherwise_stays_text(text):
    assert typed(text) == text


@given(st.text(alphabet="0123456789.,-−", max_size=12))
def test_a_typed_number_prints_as_its_cell(text):
    value = typed(text)

    assert isinstance(value, str) or text.replace("−", "-") in (str(value), f"{value:,}")


def test_a_number_of_thousands_of_digits_is_no_range():
    assert parse_range("9" * 4301) is None
    assert parse_range("9" + ",999" * 1500) is None


@pytest.mark.parametrize(
    ("text", "numeric"), [("17", True), ("—", True), ("T", True), ("2d6+1", True), ("Orc", False), ("", False)]
)
def test_the_body_of_a_matrix_is_numbers_dashes_and_letters(text, numeric):
    assert is_numeric(text) is numeric


@pytest.mark.parametrize(
    ("text", "better", "low", "high"),
    [
        ("2 or better", "lower", None, 2), ("2 or better", "higher", 2, None), ("10 or worse", "lower", 10, None),
        ("10 or worse", "higher", None, 10), ("2 or better", "", None, None), ("10 OR WORSE", "", None, None),
        ("3 or less", "lower", None, 3), ("20 or more", "lower", 20, None),
    ],
)  # fmt: skip
def test_or_better_opens_the_way_that_is_better(text, better, low, high):
    assert parse_range(text, better) == NumberRange(low, high)


@pytest.mark.parametrize(
    ("keys", "told", "way"),
    [
        (["10 or worse", "9", "3-8", "2 or better"], "", "lower"),
        (["1 or worse", "2", "3", "4 or better"], "", "higher"),
        (["10", "9", "2 or better"], "lower", "lower"),
        (["5 or better", "2 or better"], "higher", "higher"),
        (["10", "9", "2 or better"], "higher", ""),
        (["10", "5 or better", "2"], "", ""),
        (["2 or better", "3 or better"], "", ""),
        (["1", "2 or more"], "", ""),
    ],
)
def test_the_label_or_the_other_keys_tell_which_way_is_better(keys, told, way):
    assert way_that_is_better(keys, told) == way
