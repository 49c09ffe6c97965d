import pytest

from retrieval.ingest.tables.row_object import called


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
