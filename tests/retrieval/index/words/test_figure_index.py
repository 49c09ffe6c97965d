from dataclasses import replace

import numpy as np
import pytest

from retrieval.index.term_table import TermTable
from retrieval.index.words.figure_index import (
    BARE,
    CELLS,
    HEAD,
    IS_FRACTION,
    LABEL,
    STRANGE,
    UNIT,
    WORD,
    FigureIndex,
    unit_number,
)
from retrieval.language.numbers.columns import LONGEST_QUANTITY
from retrieval.language.terms import tokens
from tests.chunks import EMPTY

ROW = replace(EMPTY, kind="row", table_id="t")
TERMS = TermTable.build([b"pound", b"spear"])


def build(*chunks):
    number = {}
    of = [number.setdefault(chunk.table_id or position, len(number)) for position, chunk in enumerate(chunks)]
    return FigureIndex.build(chunks, np.asarray(of, dtype=np.int32), TERMS, tokens)


def row(*cells, key=None, **given):
    return replace(ROW, cells=cells, row_key=key, **given)


def ends(figures, key):
    return [tuple(each) for each in figures.ends[figures.cell.span(key)][:, 2:].tolist()]


def test_cells_that_are_one_quantity_are_read_with_their_places():
    index = build(row("7", "spear", "3-5", "about 7 of them and more"), row("", "2d6", "10 lb"))

    assert index.rows.cell[0].tolist() == [0, 2]
    assert ends(index.rows, 0) == [(7, 7), (3, 5)]
    assert index.rows.cell[1].tolist() == [2]


def test_a_quantity_keeps_its_unit_its_word_and_its_label():
    index = build(row("10 lb", "level 3", "1/2", "8"))
    pound, level, half, bare = index.rows.marks.tolist()

    assert index.units.text_of(pound[UNIT]) == "kilogram"
    assert index.units.text_of(level[LABEL]) == "level"
    assert half[IS_FRACTION] == 1
    assert (bare[UNIT], bare[LABEL], bare[IS_FRACTION]) == (BARE, BARE, 0)


def test_a_unit_is_also_a_word_of_the_lexical_index():
    index = build(row("3 spears", "3 tridents"))

    assert index.rows.marks[:, WORD].tolist() == [TERMS.position("spear"), BARE]
    assert {index.units.text_of(number) for number in index.rows.marks[:, UNIT]} == {"spear", "trident"}


def test_columns_captions_and_the_two_nearest_headings_are_read_once_a_table():
    first = row("x", heading_path=("Part 9", "Level 3", "Page 4"), caption="Roll 12", columns=("name", "level 5"))
    index = build(first, replace(first, cells=("y",)))

    assert len(index.tables.cell) == 1
    assert index.tables.cell[0].tolist() == [HEAD, HEAD, HEAD, 1]
    assert ends(index.tables, 0) == [(3, 3), (4, 4), (12, 12), (5, 5)]


def test_prose_has_headings_and_no_cells():
    index = build(replace(row("7"), table_id=None, kind="prose", columns=("level 5",), heading_path=("Level 3",)))

    assert index.rows.cell[0].tolist() == []
    assert index.tables.cell[0].tolist() == [HEAD]


def test_long_cells_and_those_of_very_wide_rows_are_not_read():
    assert build(row("5" + " " * LONGEST_QUANTITY)).rows.cell[0].tolist() == []
    assert len(build(row(*["5"] * (CELLS + 3))).rows.cell[0]) == CELLS


def test_the_cell_that_picks_the_row_is_known():
    assert build(row("a", "5", key="5"), row("a", "b"), row("a", key="elsewhere")).key_cell.tolist() == [1, -1, -1]


def test_the_step_among_the_words_of_a_key_is_read_and_that_of_another_cell_is_not():
    step = "Parcel over 5 kg to 20 kg"
    index = build(row(step, "3 claims and a form to fill in", key=step), row("Letter", step, key="Letter"))

    assert ends(index.rows, 0) == [(pytest.approx(5), 20)]
    assert ends(index.rows, 1) == []


def ladder(*keys):
    """The interval of each key of one table, in base units."""
    rows = [row(key, "4", key=key, lines=(line, line)) for line, key in enumerate(keys)]
    index = build(*rows[::-1])
    return [tuple(index.rows.ends[index.rows.cell.span(number)][0, :2]) for number in range(len(keys))][::-1]


def test_a_key_that_is_open_downwards_begins_after_the_one_above():
    assert ladder("up to 20 g", "up to 50 g", "up to 1 kg") == [
        *((-np.inf, 0.02), (pytest.approx(0.02), 0.05), (pytest.approx(0.05), 1))
    ]
    assert ladder("up to 20 g", "up to 50 g")[1][0] > 0.02
    assert ladder("up to 1 kg", "over 1 to 2 kg", "up to 5 kg")[2] == (pytest.approx(2), 5)


def test_a_key_that_is_open_upwards_ends_before_the_one_below():
    assert ladder("5+", "11+", "17+") == [(5, pytest.approx(11)), (11, pytest.approx(17)), (17, np.inf)]
    assert ladder("5+", "11+")[0][1] < 11


def test_keys_that_do_not_rise_are_no_ladder():
    assert ladder("up to 50 g", "up to 20 g") == [(-np.inf, 0.05), (-np.inf, 0.02)]
    assert ladder("up to 20 g", "up to 50 m") == [(-np.inf, 0.02), (-np.inf, 50)]
    assert ladder("17 or better", "20 or better") == [(17, 17), (20, 20)]


def test_the_ends_of_a_closed_key_are_also_in_the_unit_of_its_text():
    index = build(*(row(key, key=key) for key in ("up to 20 g", "up to 50 g", "under 100 °F", "under 120 °F")))

    assert ends(index.rows, 1) == [(pytest.approx(20), 50)]
    assert ends(index.rows, 3) == [(-np.inf, pytest.approx(120))]


def test_a_unit_is_also_what_is_short_for_it():
    index = build(row("over 50 to 200 th"))

    assert unit_number(index.units, "thaler") == unit_number(index.units, "th") >= 0
    assert unit_number(index.units, "groat") == STRANGE


def test_a_unit_that_no_cell_has_is_strange_and_none_is_bare():
    index = build(row("50%"))

    assert unit_number(index.units, None) == BARE
    assert unit_number(index.units, "second") == STRANGE
    assert index.percent == unit_number(index.units, "percent") >= 0
    assert build(row("50")).percent == STRANGE
