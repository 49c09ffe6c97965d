"""Which words a short form stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.tables.column_names import SMALL, ColumnNames, beginning, ending, stands_for
from retrieval.language.vocabulary import Vocabulary

BOOK = "Armour class, hit points, hit dice, strength, challenge rating and level"


def names(text=BOOK):
    return ColumnNames.of([text], Vocabulary.default())


@pytest.mark.parametrize(
    ("column", "written"),
    [
        ("AC", "Armor Class"),
        ("Opponent A.C.", "Opponent Armor Class"),
        ("Max Str. (kg)", "Max Strength (kg)"),
        ("HD/Lvl", "Hit Dice/Level"),
        ("Level or CR", "Level or Challenge Rating"),
        ("Average HP per Die", "Average Hit Points per Die"),
    ],
)
def test_a_short_form_is_written_out(column, written):
    assert names().written_out(column) == written


@pytest.mark.parametrize(
    "column", ["Armor Class (AC)", "Price (Cr)", "Levels", "Art", "AC6", "MAC", "strong", "int", "Strike", "ac_offset"]
)
def test_what_is_no_short_form_or_said_in_full_stays(column):
    assert names().written_out(column) == column


def test_a_short_form_stays_where_the_book_never_writes_it_out_or_two_columns_would_become_one():
    assert names("Alternating current, in volt").written_out("AC") == "AC"
    assert names("Opponent AC").written_out("AC") == "AC"
    assert names().all_written_out(["AC", "Armor Class", "HD"]) == ("AC", "Armor Class", "Hit Dice")
    assert names().all_written_out(["Lvl", "LV", "HD"]) == ("Lvl", "LV", "Hit Dice")


def test_a_library_says_how_its_own_labels_are_written():
    words = {"labels": {"thr": {"forms": ["threshold"], "written": "Threshold"}}}
    library = Vocabulary.default().merge(Vocabulary.from_json(words))

    assert ColumnNames.of(["The limit is low."], library).written_out("Max THR") == "Max Threshold"
    assert ColumnNames.of(["The limit is low."], library).written_out("AC") == "AC"


def test_the_common_abbreviations_of_rulebooks_are_written_out():
    book = "Armor class, hit points, hit dice, strength, dexterity, constitution, intelligence, wisdom and charisma"

    assert names(book).all_written_out(["AC", "HP", "HD", "Str", "Dex", "Con", "Int", "Wis", "Cha"]) == (
        "Armor Class",
        "Hit Points",
        "Hit Dice",
        "Strength",
        "Dexterity",
        "Constitution",
        "Intelligence",
        "Wisdom",
        "Charisma",
    )


@pytest.mark.parametrize(
    ("short", "words"),
    [
        ("RoF", "rate of fire"),
        ("ROF", "Rate of Fire"),
        ("AV", "Attack Value"),
        ("Wgt", "weight"),
        ("Wpns", "Weapons"),
        ("Spd", "speed"),
        ("D", "Death"),
        ("MAR", "Marine archery range"),
        ("BrMr", "Brindle Moor"),
    ],
)
def test_letters_stand_for_words_that_they_begin_or_are_cut_from(short: str, words: str) -> None:
    assert stands_for(short, words.split())


@pytest.mark.parametrize(
    ("short", "words"),
    [
        ("AV", "Value"),
        ("AV", "the Attack Value"),
        ("Wgt", "height"),
        ("tgW", "weight"),
        ("D", "D"),
        ("Cr", "price"),
        ("of", "of"),
        ("ABC", "a big"),
        ("hull", "hull"),
    ],
)
def test_other_letters_do_not(short: str, words: str) -> None:
    assert not stands_for(short, words.split())


def test_the_words_before_and_behind_a_short_form_are_cut_to_those_it_stands_for() -> None:
    assert ending("AV", "every fighter has an Attack Value", is_whole=False) == "Attack Value"
    assert ending("P", "Paralysis or petrification", is_whole=False) == "petrification"
    assert ending("P", "Paralysis or petrification", is_whole=True) == "Paralysis or petrification"
    assert ending("X", "Attack Value", is_whole=True) is None
    assert beginning("GW", "gateways to other buses") == "gateways"
    assert beginning("EOD", "every other day. Then none") == "every other day"
    assert beginning("X", "Attack Value") is None


words = st.lists(st.sampled_from(["rate", "fire", "armour", "class", "heavy", "gun"]), min_size=2, max_size=5)


@given(words)
def test_initials_always_stand_for_their_words(said: list[str]) -> None:
    initials = "".join(word[0] for word in said).upper()

    assert stands_for(initials, said)
    assert beginning(initials, " ".join(said)) is not None
    assert not SMALL & set(said)
