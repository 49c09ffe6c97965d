from random import Random

import pytest

from evals.generation.phrasing import NumberKey, Phrasing, is_ordinal, number_key, ordinal
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


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
        ("07-13", NumberKey(7, 13)),
    ],
)
def test_a_number_key_is_read(key, expected):
    assert number_key(key) == expected


@pytest.mark.parametrize("key", ["", "Oak", "8-5", "1d6", "18/01-50", "7+", "2.5", "12345", "Level 3"])
def test_other_keys_are_names(key):
    assert number_key(key) is None


def said(method, *arguments, ordinal_columns=()):
    return {
        getattr(Phrasing(Random(seed), Vocabulary.default(), frozenset(ordinal_columns)), method)(*arguments)
        for seed in range(60)
    }


def test_numbers_are_said_with_their_column():
    assert said("number", 7, "Level") >= {"level 7", "a level of 7", "level seven"}
    assert said("number", 7, "Level", ordinal_columns=["level"]) >= {"level 7", "7th level"}
    assert said("number", 43, "d%") == {"a roll of 43", "43 rolled on d%"}


def test_a_dice_columns_number_is_a_roll():
    assert said("number", 3, "1d6") == {"a roll of 3", "3 rolled on 1d6"}


def test_names_may_be_turned_round():
    assert said("name", "Dragon, Blue:") == {"Dragon, Blue", "dragon, blue", "Blue Dragon"}
    assert said("name", "Fog Cloud") == {"Fog Cloud", "fog cloud"}


def test_columns_keep_short_capitals_unless_all_is_shouted():
    assert said("column", "XP Value") == {"XP value", "xp"}
    assert said("column", "TYPE OF SAVE") == {"type of save"}
    assert "hit dice" in said("column", "Hit Dice:")


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd"), (112, "112th")]
)
def test_ordinals(number, text):
    assert ordinal(number) == text
    assert is_ordinal(text)


def test_a_plain_number_is_no_ordinal():
    assert not is_ordinal("7")
