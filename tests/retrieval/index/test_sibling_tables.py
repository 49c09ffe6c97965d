"""Keyed tables of a library, from its chunks."""

import json
from dataclasses import replace

from retrieval.index.sibling_tables import keyed_tables
from retrieval.language.canonical import canonical
from retrieval.query_must.operators import NO_RIVAL, Membership
from retrieval.query_must.sibling_mentions import AmountInterval
from retrieval.query_must.siblings import Siblings
from retrieval.types import Chunk
from tests.chunks import EMPTY

ROW = replace(EMPTY, kind="row", table_id="t", columns=("Item", "Weight (g)", "Price"))


def chunk(number: int, *cells: str, key: str) -> Chunk:
    query_must = json.dumps({NO_RIVAL: {"table": "t", "row": number}})
    return replace(ROW, id=str(number), cells=cells, row_key=key, names=(cells[0],), query_must=query_must)


def test_a_row_stands_for_the_step_of_its_column() -> None:
    chunks = [
        chunk(0, "Letter", "up to 20", "1.00", key="up to 20"),
        chunk(1, "Letter", "over 20 to 50", "1.50", key="over 20 to 50"),
        chunk(2, "Card", "–", "0.80", key="Card"),
    ]
    (table,) = keyed_tables(chunks).tables
    units = [{amount.unit for amount in row.amounts} for row in table.rows.values()]
    assert units == [{"kilogram"}, {"kilogram"}, set()]
    grams = AmountInterval("kilogram", 0.03, 0.03)
    assert [any(held.holds(grams) for held in row.amounts) for row in table.rows.values()] == [False, True, False]


def test_cells_that_several_but_not_all_rows_have_and_bare_keys_are_shared() -> None:
    chunks = [
        chunk(0, "Letter", "20", "th", key="20"),
        chunk(1, "Letter", "50", "th", key="50"),
        chunk(2, "Card", "20", "th", key="Card"),
    ]
    (table,) = keyed_tables(chunks).tables
    assert [row.shared for row in table.rows.values()] == [("Letter", "20"), ("Letter", "50"), ()]


def test_rows_keep_their_positions_whatever_their_order() -> None:
    chunks = [chunk(1, "B", "2", "", key="B"), ROW, chunk(0, "A", "1", "", key="A")]
    result = keyed_tables(chunks)
    assert list(result.tables[0].rows) == [0, 1]
    assert result.positions == {Membership("t", 1): 0, Membership("t", 0): 2}


def test_a_number_or_a_letter_is_a_name_behind_a_word_of_its_column_or_title() -> None:
    row = replace(ROW, columns=("Band", "Rate (g)"), caption="Duty of the cars")
    cells = (("B", "20"), ("a", "5"), ("Lorry", "7"))
    chunks = [
        replace(row, id=str(number), cells=pair, row_key=pair[0], query_must=chunk(number, *pair, key="").query_must)
        for number, pair in enumerate(cells)
    ]
    (table,) = keyed_tables(chunks).tables
    assert [row.names for row in table.rows.values()] == [("Band B", "Duty B", "cars B"), (), ()]
    steps = [replace(row, cells=(f"{number}.", "x"), row_key=f"{number}.") for number in (1, 2)]
    one, two = (
        replace(step, id=str(at), columns=("Step", "What"), caption="", query_must=chunk(at, "", key="").query_must)
        for at, step in enumerate(steps)
    )
    (table,) = keyed_tables([one, two]).tables
    question = canonical("what is in step 2 of it")
    assert set(Siblings([table]).read(question).reasons) == {(table.id, 0)}
    assert not Siblings([table]).read(canonical("what do 2 of them hold")).reasons
