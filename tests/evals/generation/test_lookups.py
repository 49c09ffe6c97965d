from random import Random

import pytest

from evals.generation.asked_tables import AskedTable
from evals.generation.lookups import lookup
from evals.generation.phrasing import Phrasing
from evals.generation.table_names import TableName
from evals.generation.word_places import WordPlaces
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

COLUMNS = ("Item", "Weight (lbs)", "Maker")


@pytest.fixture
def asked(make_chunk):
    """Every look-up of the first row that 300 draws give; a second table has the same rows."""

    def ask(*rows, columns=COLUMNS, twin=True):
        def table(name):
            return [
                make_chunk(f"{name}{at}", row_key=cells[0], columns=columns, cells=cells, caption=name, table_id=name)
                for at, cells in enumerate(rows)
            ]

        mine = table("Ropes")
        places = WordPlaces([*mine, *(table("Chains") if twin else [])])
        name = TableName(("Ropes",), places, frozenset(row.id for row in mine))
        draws = (Phrasing(Random(seed), Vocabulary.default(), frozenset()) for seed in range(300))
        return [lookup(mine[0], AskedTable(mine), name, phrasing) for phrasing in draws]

    return ask


def test_a_column_may_be_asked_for_without_its_name(asked):
    queries = {each.query.lower().strip("?") for each in asked(("Cord", "12", "Ana"), ("Line", "15", "Bo"))}
    assert {"ropes: how heavy is cord", "how heavy is cord in ropes"} <= queries
    assert any("weight" in query for query in queries)


def test_a_table_whose_rows_are_in_another_is_always_named(asked):
    assert all("ropes" in each.query.lower() for each in asked(("Cord", "12", "Ana"), ("Line", "15", "Bo")))


def test_a_row_that_is_nowhere_else_may_be_asked_for_without_its_table(asked):
    found = asked(("Cord", "12", "Ana"), ("Line", "15", "Bo"), twin=False)
    alone = [each.query.lower() for each in found if "ropes" not in each.query.lower()]
    assert any("cord" in query for query in alone)
    assert "how heavy is cord" in alone


def test_the_answer_is_the_cell_that_is_asked_for(asked):
    for each in asked(("Cord", "12", "Ana"), ("Line", "15", "Bo")):
        query = each.query.lower()
        if each.keys == {"maker": "Ana"}:
            assert each.answer in {"Cord", "12"}
            assert "cord" not in query
        elif "heavy" in query or "weigh" in query:
            assert each.answer == "12"
        elif "maker" in query:
            assert each.answer == "Ana"


def test_rows_of_one_key_are_named_by_two_cells(asked):
    found = asked(("Cord", "12", "Ana"), ("Cord", "15", "Bo"), ("Line", "15", "Ana"))
    both = [each for each in found if len(each.keys) > 1]
    assert both
    for each in both:
        assert each.keys == {"item": "Cord", "maker": "Ana"}
        assert "cord" in each.query.lower()
        assert "ana" in each.query.lower()
