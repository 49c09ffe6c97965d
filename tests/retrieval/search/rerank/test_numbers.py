from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.term_table import TermTable
from retrieval.index.words.figure_index import BARE, FigureIndex, unit_number
from retrieval.language.numbers import AS_TEXT, holds, quantities, whole_quantity
from retrieval.language.terms import tokens
from retrieval.search.rerank.numbers import RowQuantities
from retrieval.search.rerank.query_terms import Figure
from tests.chunks import EMPTY

UNITS = ["lb", "kg", "feet", "inches", "yards", "minutes", "hours", "seconds", "spears", "rounds", "levels"]


def row(cell):
    return replace(EMPTY, id=cell, kind="row", table_id="t", cells=(cell,))


def held_by(cells, question):
    """What the arrays say of each number of a question and each cell, and what `holds` says."""
    positions = np.arange(len(cells))
    index = FigureIndex.build(
        [row(cell) for cell in cells], np.zeros(len(cells), dtype=np.int32), TermTable.build([]), tokens
    )
    rows = RowQuantities.of(index, positions, positions[:1], np.zeros(len(cells), dtype=np.int64))
    for quantity in quantities(question):
        if quantity.kind not in AS_TEXT:
            none = np.zeros(0, dtype=np.int64)
            figure = Figure(
                quantity, unit_number(index.units, quantity.unit), unit_number(index.units, quantity.label), none, none
            )
            marks = np.zeros(len(cells), dtype=bool)
            marks[rows.owner[: rows.rows]] = rows.hold(figure, index.percent, ())[: rows.rows]
            read = [whole_quantity(cell) for cell in cells]
            plain = [result is not None and result.kind not in AS_TEXT and holds(result, quantity) for result in read]
            yield quantity.text, marks.tolist(), plain


def test_a_bare_number_is_none_of_what_the_question_counts_in_a_unit():
    index = FigureIndex.build(
        [row("over 5 to 7.5 kg"), row("7")], np.zeros(2, dtype=np.int32), TermTable.build([]), tokens
    )
    rows = RowQuantities.of(index, np.arange(2), np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64))
    weight, zone = quantities("a parcel of 12.7 kg to zone 7")
    none = np.zeros(0, dtype=np.int64)
    bare = Figure(zone, BARE, unit_number(index.units, zone.label), none, none)

    assert rows.hold(bare, index.percent, [unit_number(index.units, weight.unit)]).tolist() == [False, True]
    assert rows.hold(bare, index.percent, ()).tolist() == [True, True]


SAME = ["half", "1/2", "0.5", "50%", "40%–50%", "50", "6 inches", "0.5 feet", "3 yards", "9 feet", "90 minutes"]
SAME += ["1.5 hours", "9 levels", "level 9", "9", "up to 9", "9+", "9 or more feet", "under 90 minutes"]

small = st.integers(0, 12)
numbers = st.one_of(
    small.map(str),
    st.integers(-3, 120).map(str),
    st.tuples(small, small).map(lambda ends: f"{min(ends)}-{max(ends) + 1}"),
    small.map("{}+".format),
    small.map("{} or more".format),
    small.map("up to {}".format),
    small.map("under {}".format),
    small.map("more than {}".format),
    st.sampled_from(["1/2", "1/4", "3/4", "2 1/2", "0.5", "1.5", "0.1", "half"]),
)
figures = st.one_of(
    numbers,
    st.tuples(numbers, st.sampled_from(UNITS)).map(" ".join),
    st.tuples(st.sampled_from(["level", "AC", "page"]), numbers).map(" ".join),
    st.sampled_from(SAME),
    st.integers(0, 100).map("{}%".format),
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda ends: f"{min(ends)}%–{max(ends) + 1}%"),
)


@given(st.lists(figures, min_size=1, max_size=8), figures)
def test_the_arrays_say_what_holds_says(cells, question):
    for text, result, plain in held_by(cells, question):
        assert result == plain, text


@pytest.mark.parametrize("question", SAME)
def test_the_arrays_say_what_holds_says_of_equal_values(question):
    for cells in (SAME, *([cell] for cell in SAME)):
        for text, result, plain in held_by(cells, question):
            assert result == plain, (text, cells)


@pytest.mark.parametrize(
    ("cell", "question", "held"),
    [
        ("3-5", "4", True),
        ("3-5", "3-6", False),
        ("10+", "level 200", True),
        ("90 minutes", "90", True),
        ("90 minutes", "1.5 hours", True),
        ("90 minutes", "90 lb", False),
        ("46%–55%", "1/2", True),
        ("1/2", "50%", True),
        ("6 inches", "0.5 feet", True),
        ("10 feet", "120 inches", True),
        ("3 yards", "9 feet", True),
        ("300 seconds", "5 minutes", True),
        ("0.3 feet", "3.6 inches", True),
        ("level 3", "3 levels", True),
        ("2d6", "6", False),
    ],
)
def test_a_cell_that_is_known_to_hold_a_number(cell, question, held):
    ((_, result, plain),) = held_by([cell], question)

    assert result == plain == [held]


def test_a_percentage_meets_a_fraction_where_no_cell_has_a_percentage():
    ((_, result, plain),) = held_by(["1/2", "1/4"], "50%")

    assert result == plain == [True, False]
