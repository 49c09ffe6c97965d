"""What of a row is searched."""

import pytest

from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.row_object import called, list_members, names_of_rows, other_names, prose_names, spellings
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.language.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("column", "key", "said"),
    [
        ("Opponent Armor Class", "6", "Opponent Armor Class 6"),
        ("Armor Class", "-3", "Armor Class -3"),
        ("Level", "1-3", "Level 1-3"),
        ("d%", "01-05", "d% 01-05"),
        ("Zone", "A7", "Zone A7"),
        ("Book", "IV", "Book IV"),
        ("Hit Dice (d8)", "4", "Hit Dice 4"),
        ("Range", "10 ft.", "Range 10 ft."),
    ],
)
def test_a_number_a_range_and_a_code_are_called_with_their_column(column, key, said):
    assert called(column, key) == said


@pytest.mark.parametrize(
    ("column", "key", "said"),
    [
        ("Terrain", "Forest", "Forest"),
        ("Weapon", "Longsword +1", "Longsword +1"),
        ("Level", "Level 3", "Level 3"),
        ("Level", "3rd level", "3rd level"),
        ("entry", "6", "6"),
        ("column 3", "6", "6"),
        ("Number of times that a character may try again", "6", "6"),
        ("Part", "Damage:", "Damage"),
    ],
)
def test_a_word_says_itself_what_it_is_and_no_label_is_said_twice(column, key, said):
    assert called(column, key) == said


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Crossbow, heavy*", ["Crossbow, heavy", "heavy Crossbow"]),
        ("Half Plate Armor", ["Half Plate Armor"]),
        ("1,100 – 2000 tons", ["1,100 – 2000 tons"]),
        ("Cr18,000", ["Cr18,000"]),
        ("Atmosphere 4, 7", ["Atmosphere 4, 7"]),
        ("Bolts, 20", ["Bolts, 20", "20 Bolts"]),
        ("Pole, 10-foot", ["Pole, 10-foot", "10-foot Pole"]),
        ("Torch (1 CP)", ["Torch (1 CP)", "Torch"]),
        ("Horse, Draft (unbroken)", ["Horse, Draft (unbroken)", "Horse, Draft", "Draft Horse"]),
        ("76-00 Staff of Wizardry", ["Staff of Wizardry"]),
        ("1/4 Turn", ["1/4 Turn", "quarter Turn"]),
        ('1/2" bolt', ['1/2" bolt', "half inch bolt"]),
        ("¾-round", ["¾-round", "three quarter round"]),
        ("1/4", ["1/4"]),
        ("11/2 Turn", ["11/2 Turn"]),
        ("", []),
        ("a sentence that goes on for many more words than a name", []),
    ],
)
def test_a_cell_is_called_by_its_name_in_any_order(cell, names):
    assert list(spellings(cell)) == names


@pytest.mark.parametrize(
    ("cell", "members"),
    [
        ("PORTER CO, PORTER HOLDING", ("PORTER CO", "PORTER HOLDING")),
        ("-o FILE, --output FILE", ("-o FILE", "--output FILE")),
        ("R01, R02 (old)", ("R01", "R02")),
        ("Beet / sugar beet", ("Beet", "sugar beet")),
        ("Sword, broad", ()),
        ("Spell, 3rd-level", ()),
        ("20 / 30", ()),
        ("['A', 'B']", ()),
        ("RAIN, A HEAVY ONE THAT DOES NOT END", ()),
        ("R01,", ()),
        ("", ()),
    ],
)
def test_a_list_has_members_and_a_thing_with_its_kind_behind_it_has_none(cell, members):
    assert list_members(cell) == members


def test_each_member_of_a_key_names_its_row_but_those_that_other_rows_have_too():
    cells = ("A1, B2", "b2 / C3", "C3", "Sword, broad")
    rows = tuple(TableRow((cell, "5"), position, "") for position, cell in enumerate(cells))
    table = Table("t", "b", "d.md", (), None, ("Code", "Price"), rows, (1, 5))

    names = names_of_rows(read_table(table), Vocabulary.default())
    assert names == {0: ("A1, B2", "B2 A1", "A1"), 1: ("b2 / C3",), 2: ("C3",), 3: ("Sword, broad", "broad Sword")}


def test_the_names_of_prose_are_its_headings_and_what_paragraphs_begin_with_said_once():
    text = (
        "**Graze.** If you miss.\n\n**_Bite._** It bites.\n\nAbility Burn: A form of damage.\n\nNo name here, really.\n"
    )
    assert prose_names(("Mastery",), text) == ("Mastery", "Graze", "Bite", "Ability Burn")
    assert prose_names((), "- `--max-size`: In bytes.\n\n**max\\_age:** In days.\n") == ("--max-size", "max_age")
    titles = ("Armour Table", "Notes", "armour", "Notes")
    text = "Notes: The same heading again.\n\nTable: Part of the title.\n\nArmour Table Notes: More than the title.\n"
    assert prose_names(titles, text) == ("Armour Table", "Notes", "Armour Table Notes")


@pytest.mark.parametrize(
    ("column", "cells", "names"),
    [
        ("Film", ["20th Century", "Heat"], ("Film 20", "20th Century")),
        ("Total", ["30 or higher", "29"], (*(f"Total {number}" for number in range(30, 50)), "30 or higher")),
        ("Drums", ["20+", "19"], tuple(f"Drums {number}" for number in range(20, 40))),
        ("Drums", ["2 or less", "3"], (*(f"Drums {number}" for number in range(2, -18, -1)), "2 or less")),
        ("Drums", ["3", "4"], ("Drums 3",)),
        ("Reach", ["5-6 feet", "7-8 feet"], ("Reach 5", "Reach 6", "5 feet", "6 feet")),
    ],
)
def test_a_key_that_begins_with_a_number_keeps_its_own_words(column, cells, names):
    rows = tuple(TableRow((cell, "x"), position, "") for position, cell in enumerate(cells))
    table = Table("t", "b", "d.md", (), None, (column, "b"), rows, (1, 4))

    assert names_of_rows(read_table(table), Vocabulary.default())[0] == names


@pytest.mark.parametrize(
    ("column", "keys", "names"),
    [
        ("d%", ("01-98", "99-00"), {"roll 99", "roll 100", "roll 00"}),
        ("d%", ("01-99", "00"), {"roll 100", "roll 00"}),
        ("Code", ("00", "07"), {"code 7"}),
        ("Address", ("00h", "0Dh"), {"Address 0Dh", "0Dh"}),
        ("Week", ("1--3", "4--5"), {"Week 4", "Week 5"}),
    ],
)
def test_the_last_key_stands_for_what_people_call_it(column, keys, names):
    rows = tuple(TableRow((key, word), 0, "") for key, word in zip(keys, ("gull", "tern"), strict=True))
    reading = read_table(Table("t", "b", "d", (), None, (column, "Bird"), rows, (0, 2)))

    assert set(names_of_rows(reading, Vocabulary.default())[1]) == names | {"tern"}


def test_two_noughts_above_all_others_are_nothing():
    rows = tuple(TableRow((key, word), 0, "") for key, word in (("00", "gull"), ("07", "tern")))
    reading = read_table(Table("t", "b", "d", (), None, ("Deck", "Bird"), rows, (0, 2)))

    assert names_of_rows(reading, Vocabulary.default())[0] == ("Deck 0", "gull")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Crossbow, heavy", "heavy crossbow"), ()),
        (("LMG", "Light machine gun"), ("LMG",)),
        (("level 7", "level 8"), ()),
        (("burglar's picks", "Thieves' tools"), ("burglar's picks",)),
        ((), ()),
    ],
)
def test_a_name_that_says_a_word_of_no_cell_is_searched_too(names: tuple[str, ...], found: tuple[str, ...]) -> None:
    cells = ("Crossbow, heavy", "Light machine gun", "Thieves' tools", "7+")

    assert other_names(names, cells) == found
