import pytest

from retrieval.ingest.tables.source.dittos import without_dittos


@pytest.mark.parametrize("mark", ['"', "”", "''", "〃", "do.", "Ditto", '– " –', ",,"])
def test_a_ditto_mark_says_the_cell_above(mark):
    rows = [("Large letter", "100 g"), (mark, "250 g"), (mark, "500 g")]

    assert without_dittos(rows) == (("Large letter", "100 g"), ("Large letter", "250 g"), ("Large letter", "500 g"))


def test_a_mark_over_which_no_words_stand_is_itself():
    rows = [("33", "!"), ("34", '"'), ("35", "#")]

    assert without_dittos(rows) == tuple(rows)
    assert without_dittos([('"', "7"), ("do.", "8")]) == (('"', "7"), ("do.", "8"))


@pytest.mark.parametrize("cell", ["do", "", "–", "id", "do. not", '"no"'])
def test_other_cells_stay_as_they_are(cell):
    assert without_dittos([("Axe", "1"), (cell, "2")])[1] == (cell, "2")


def test_a_cell_that_is_merged_with_the_one_above_says_it():
    rows = [("Skiff", "n/a", "2"), ("^^", "^^", "3"), ("Ketch", "^^", "^^")]

    assert without_dittos(rows) == (("Skiff", "n/a", "2"), ("Skiff", "n/a", "3"), ("Ketch", "n/a", "3"))


def test_the_mark_of_a_merged_cell_is_itself_below_other_signs():
    assert without_dittos([("and", "&&"), ("xor", "^^")])[1] == ("xor", "^^")
