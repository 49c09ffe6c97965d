"""Signs that a table lists, and the names that people have for them."""

import pytest

from retrieval.ingest.tables.header import goes_on, lists_symbols, symbol_names
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.row_object import names_of_rows
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.language.vocabulary import Vocabulary


def named(header, *rows):
    lines = tuple(TableRow(cells, position, "") for position, cells in enumerate(rows))
    table = Table("t", "b", "d.md", (), None, header, lines, (1, len(rows)))
    return names_of_rows(read_table(table), Vocabulary.default())


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("%", ("percent sign",)), ("';'", ("semicolon",)), ('"`"', ("backtick", "backquote")),
        ("'''", ("apostrophe", "single quote")), ("“=”", ("equals sign",)), ("_", ("underscore",)),
        ("#", ("hash", "pound sign", "number sign")), ("♠", ("spade",)), ("☠\ufe0f", ("skull and crossbones",)),
        ("★", ("star",)),
    ],
)  # fmt: skip
def test_a_sign_has_the_names_that_people_say(cell, names):
    assert symbol_names(cell) == names


@pytest.mark.parametrize("cell", ["", "a", "7", "'a'", "++", "';\"", "; it", "é"])
def test_letters_figures_and_longer_cells_are_no_signs(cell):
    assert symbol_names(cell) == ()


def test_a_row_is_called_by_the_name_of_the_sign_that_is_its_key():
    result = named(("Sign", "Meaning"), (";", "a ward"), ("%", "a vein"), ("~", "a lamp"), ("x", "a trap"))

    assert list(result.values()) == [
        (";", "semicolon", "a ward"),
        ("%", "percent sign", "a vein"),
        ("~", "tilde", "a lamp"),
        ("x", "a trap"),
    ]


def test_of_pairs_side_by_side_under_no_heading_both_name_the_row():
    result = named(
        ("",) * 4,
        ("';'", "a ward", "'&'", "a heap"),
        ("'%'", "a vein", "'?'", "a scroll"),
        ("':'", "rubble", "'!'", "a flask"),
    )

    assert {"semicolon", "ampersand"} <= set(result[0])


def test_marks_in_a_table_of_other_things_call_no_row():
    result = named(("Blade", "Rare"), ("Dirk", "✓"), ("Sabre", "✓"), ("Foil", "✗"))

    assert list(result.values()) == [("Dirk",), ("Sabre",), ("Foil", "✗")]


def test_a_column_of_letters_and_signs_lists_signs_and_one_of_words_does_not():
    assert lists_symbols(["a", "b", ";", "%", "~"])
    assert not lists_symbols(["Dirk", "Sabre", "Foil", "Rapier", ";", "%", "~"])
    assert not lists_symbols(["✓", "✗", "✓", "✗"])


def test_a_sign_over_signs_and_letters_is_the_first_of_them_and_no_heading():
    result = named(("",) * 4, ("'$'", "coins", "'A'", "an angel"), ("'a'", "an ant", "'B'", "a bird"))

    assert "coins" in result[0]
    assert goes_on("'$'", ["'a'", "'b'"])
    assert not goes_on("#", ["1", "2"])
    assert not goes_on("#", ["", ""])
