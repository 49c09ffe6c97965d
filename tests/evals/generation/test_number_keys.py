import pytest

from evals.generation.number_keys import NumberKey, is_ordinal, number_key, ordinal


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("7", NumberKey(7, 7)),
        ("9th", NumberKey(9, 9)),
        ("-3", NumberKey(-3, -3)),
        ("−3", NumberKey(-3, -3)),
        ("5-8", NumberKey(5, 8)),
        ("5th–8th", NumberKey(5, 8)),
        ("96-00", NumberKey(96, 100)),
        ("00", NumberKey(100, 100)),
        ("07-13", NumberKey(7, 13)),
    ],
)
def test_a_number_key_is_read(key, expected):
    assert number_key(key) == expected


@pytest.mark.parametrize("key", ["", "Oak", "8-5", "1d6", "18/01-50", "7+", "2.5", "12345", "Level 3"])
def test_other_keys_are_names(key):
    assert number_key(key) is None


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd"), (112, "112th")]
)
def test_ordinals(number, text):
    assert ordinal(number) == text
    assert is_ordinal(text)


def test_a_plain_number_is_no_ordinal():
    assert not is_ordinal("7")
