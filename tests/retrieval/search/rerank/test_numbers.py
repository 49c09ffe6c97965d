from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.term_table import TermTable
from retrieval.index.words.figure_index import BARE, FigureIndex, unit_number
from retrieval.language.numbers import AS_TEXT, holds, quantities, whole_quantity
from retrieval.language.terms import tokens
from retrieval.search.query import Query
from retrieval.search.rerank.numbers import RowQuantities, is_out_of_range
from retrieval.search.rerank.query_terms import Figure, ask
from tests.chunks import EMPTY, indexed
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder
from tests.retrieval.search.rerank.conftest import row

UNITS = ["lb", "kg", "feet", "inches", "yards", "minutes", "hours", "seconds", "spears", "rounds", "levels"]


def one_cell(cell):
    return replace(EMPTY, id=cell, kind="row", table_id="t", cells=(cell,))


def held_by(cells, question):
    """What the arrays say of each number of a question and each cell, and what `holds` says."""
    positions = np.arange(len(cells))
    index = FigureIndex.build(
        [one_cell(cell) for cell in cells], np.zeros(len(cells), dtype=np.int32), TermTable.build([]), tokens
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
        [one_cell("over 5 to 7.5 kg"), one_cell("7")], np.zeros(2, dtype=np.int32), TermTable.build([]), tokens
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


TABLES = {
    "knights": (("Level", "Hit points"), [(str(level), str(level * 10)) for level in range(1, 7)]),
    "parcels": (("Up to", "Price"), [(f"{weight} kg", f"{weight * 3} fl") for weight in (1, 2, 5, 10)]),
    "fields": (("Address", "Name"), [(str(number), f"Indirect slot {number + 19}") for number in range(2, 12)]),
    "named": (("Address", "Name"), [(str(number), f"Field Address {number + 23}") for number in range(1, 9)]),
    "ranks": (("Rank", "Pay"), [("1", "3 fl"), ("2", "4 fl"), ("3", "6 fl"), ("4+", "9 fl")]),
    "gear": (("Item", "Level"), [("rope", "1"), ("lamp", "2"), ("sword", "3")]),
}


@pytest.fixture(scope="module")
def ladders(tmp_path_factory):
    """A snapshot of tables with numbers as keys, and of prose."""
    chunks = [row(name, (name,), columns, *cells) for name, (columns, rows) in TABLES.items() for cells in rows]
    chunks += [replace(CHUNK, id="prose", kind="prose", search_text="Nobody has a level above 6.")]
    with indexed(tmp_path_factory.mktemp("ladders"), chunks, ToyEmbedder()) as retriever:
        yield retriever.snapshot


@pytest.fixture(scope="module")
def beyond(ladders):
    """Whether a question lies beyond the table of a chunk."""

    def of(question, chunk_id):
        (position,) = ladders.chunks.positions([chunk_id])
        return is_out_of_range(ladders, ask(ladders, Query.ask(question, ladders.vocabulary)), int(position))

    return of


KNIGHT, PARCEL, FIELD, OPEN, ITEM = "knights-2", "parcels-5 kg", "fields-8", "ranks-4+", "gear-rope"
CASES = [
    ("knight of level 12: hit points", KNIGHT, True),
    ("a 12th level knight", KNIGHT, True),
    ("lvl 0 knight", KNIGHT, True),
    ("knight of level 3", KNIGHT, False),
    ("12 knights", KNIGHT, False),
    ("the first knight of 12", KNIGHT, False),
    ("parcel of 40 kg", PARCEL, True),
    ("parcel of 40 lb", PARCEL, True),
    ("parcel of 4 lb", PARCEL, False),
    ("parcel of 3000 g", PARCEL, False),
    ("parcel of 7 kg", PARCEL, False),
    ("address 27", FIELD, True),
    ("indirect slot 27, by address", FIELD, False),
    ("a ranger of rank 90", OPEN, False),
    ("rope of level 90", ITEM, False),
    ("level 90", "prose", False),
]


@pytest.mark.parametrize(("question", "chunk_id", "expected"), CASES, ids=range(len(CASES)))
def test_only_a_number_that_is_asked_as_a_key_lies_beyond_the_keys(beyond, question, chunk_id, expected):
    assert beyond(question, chunk_id) == expected


def test_no_number_lies_beyond_where_a_name_has_it_or_another_is_a_key(beyond):
    assert not beyond("default of address slot 27", "fields-8")
    assert not beyond("Field Address 27", "named-4")
    assert not beyond("level 3 against level 12", KNIGHT)
