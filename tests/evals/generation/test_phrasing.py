"""Phrasings of row keys and columns."""

from random import Random

import pytest

from evals.generation.phrasing import (
    _ASKED_AS,
    NumberKey,
    Phrasing,
    asked_as,
    column_forms,
    column_name,
    is_ordinal,
    number_key,
    ordinal,
    place_name,
    plain,
    unbracketed,
)
from retrieval.language.vocabulary import Vocabulary


def draw_phrases(method, *arguments, ordinal_columns=(), **named):
    return {
        getattr(Phrasing(Random(seed), Vocabulary.default(), frozenset(ordinal_columns)), method)(*arguments, **named)
        for seed in range(300)
    }


def test_numbers_are_said_with_their_column_and_on_dice_as_a_roll():
    assert draw_phrases("number", 7, "Level") >= {"level 7", "a level of 7", "level seven"}
    assert draw_phrases("number", 7, "Level", ordinal_columns=["level"]) >= {"level 7", "7th level"}
    assert draw_phrases("number", 43, "d%") == {"a roll of 43", "43 rolled on d%"}
    assert draw_phrases("number", 3, "1d6") == {"a roll of 3", "3 rolled on 1d6"}
    assert draw_phrases("number", 19, "Param (Label)") >= {"param 19", "param nineteen", "a param of 19"}


def test_names_may_be_turned_round_written_as_words_or_shortened():
    assert draw_phrases("name", "Dragon, Blue:") == {"Dragon, Blue", "dragon, blue", "Blue Dragon"}
    assert draw_phrases("name", "Fog Cloud") == {"Fog Cloud", "fog cloud"}
    assert draw_phrases("name", "`h_acc` ++") == {"h_acc", "h acc"}
    assert draw_phrases("name", "1 (Actuator ID)", ["Actuator ID"]) >= {"1 (Actuator ID)", "Actuator ID"}


def test_columns_keep_short_capitals_and_are_said_without_their_units():
    assert draw_phrases("column", "XP Value") == {"XP value", "xp"}
    assert draw_phrases("column", "TYPE OF SAVE") == {"type of save"}
    assert "hit dice" in draw_phrases("column", "Hit Dice:")
    assert draw_phrases("column", "Maximum Range (ft.)") == {"maximum range", "max range", "maximum range (ft.)", "MR"}


def test_another_cell_is_said_with_its_column_and_the_article_that_fits():
    assert draw_phrases("with_cell", "Cost", "`20,000`") == {"cost 20,000", "20,000 cost", "a cost of 20,000"}
    assert "an armor class of 7" in draw_phrases("number", 7, "Armor Class")
    assert "hit points of 7" in draw_phrases("number", 7, "Hit Points")
    assert "notes of closed" in draw_phrases("with_cell", "Notes", "closed.")


def test_a_question_is_written_with_care_or_without():
    words = {"column": "AC", "key": "Fog Cloud", "subject": "Spells"}
    query = draw_phrases("template", ["{ask} {column} of {key} in {subject}?"], **words)
    assert query == {
        "What is the AC of Fog Cloud in Spells?",
        "What's the AC of Fog Cloud in Spells?",
        "what is the AC of fog cloud in spells",
        "what's the AC of fog cloud in spells",
    }


@pytest.mark.parametrize(
    ("column", "query"),
    [
        ("hit points", "What are the hit points"),
        ("class", "What is the class"),
        ("radius", "What is the radius"),
    ],
)
def test_what_is_asked_for_in_the_plural_is_no_singular(column, query):
    assert query in draw_phrases("template", ["{ask} {column}"], column=column)


@pytest.mark.parametrize(
    ("written", "phrase"),
    [
        ("**Table: Radiation Effects**", "Radiation Effects"),
        ("Table 3-1: Doors", "Doors"),
        ("Chapter 12: Worlds", "Worlds"),
        ("HIGH_LATENCY (234) — [SUP]", "HIGH_LATENCY (234)"),
        ("INQUISITOR [PSIONIC]", "INQUISITOR"),
        ("Table of Contents", "Table of Contents"),
        ("Turning Undead Table", "Turning Undead Table"),
        ("Table 3", "Table 3"),
        ("[TAG]", "[TAG]"),
        ("Class A Demon (Vrock)", "Class A Demon (Vrock)"),
    ],
)
def test_a_place_is_called_without_what_only_print_needs(written, phrase):
    assert place_name(written) == phrase


@pytest.mark.parametrize(
    ("written", "phrase"),
    [
        ("aux1 ++", "aux1"),
        ("`uint8_t`", "uint8_t"),
        ("_Fog Cloud_ *", "Fog Cloud"),
        ("Armour  Class:", "Armour Class"),
        ("target_system", "target_system"),
        ("+4", "+4"),
        ("+", "+"),
    ],
)
def test_a_cell_is_plain(written, phrase):
    assert plain(written) == phrase


def test_decoration_of_a_column_is_not_said_and_its_unit_first_left_out():
    assert column_name("——Spell Slots per Spell Level—— 8") == "spell slots per spell level 8"
    assert column_forms("weight (lbs)") == ("weight", "wt", "weight (lbs)")
    assert column_forms("cost") == ("cost",)
    assert unbracketed("Emblem (on a shield)") == "Emblem"
    assert unbracketed("(gp)") == ""


@pytest.mark.parametrize("column", ["Weight", "**Weight (lbs)**", "Total weight:"])
def test_a_column_is_asked_for_by_what_it_measures(column):
    assert "how heavy is {key}" in asked_as(column)


def test_the_last_word_that_is_asked_for_so_counts_and_others_are_asked_for_by_name():
    assert asked_as("Range Cost") == asked_as("Cost")
    assert asked_as("Base Cost Category") == asked_as("Cost")
    assert asked_as("Psionic Talent") == ()


def test_every_question_names_the_row_and_not_the_column():
    for word, questions in _ASKED_AS.items():
        for question in questions:
            assert question.count("{key}") == 1
            assert word not in question.replace("{key}", "").split()


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
    assert not is_ordinal(str(number))
