import pytest

from retrieval.ingest.tables.column_names import ColumnNames
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

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


def test_a_book_that_never_writes_it_out_keeps_its_own_short_form():
    assert names("Alternating current, in volt").written_out("AC") == "AC"
    assert names("Opponent AC").written_out("AC") == "AC"


def test_two_columns_that_would_become_one_stay_as_they_are():
    assert names().all_written_out(["AC", "Armor Class", "HD"]) == ("AC", "Armor Class", "Hit Dice")
    assert names().all_written_out(["Lvl", "LV", "HD"]) == ("Lvl", "LV", "Hit Dice")


def test_a_library_says_how_its_own_labels_are_written():
    words = {"labels": {"thr": {"forms": ["threshold"], "written": "Threshold"}}}
    library = Vocabulary.default().merge(Vocabulary.from_json(words))

    assert ColumnNames.of(["The threshold is low."], library).written_out("Max THR") == "Max Threshold"
