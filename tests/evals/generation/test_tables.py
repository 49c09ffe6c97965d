from random import Random

import pytest

from evals.generation.names import TableName, WordPlaces
from evals.generation.phrasing import Phrasing
from evals.generation.tables import AskedTable, lookup
from retrieval.language.vocabulary import Vocabulary

WEAPONS = [("Dagger", "1d4", "Light", "2-10"), ("Mace", "1d6", "Heavy", "11-40"), ("Spear", "1d8", "Light", "40-60")]


@pytest.fixture
def table(make_chunk):
    def build(rows, columns):
        return AskedTable(
            [
                make_chunk(f"r{number}", row_key=cells[0], columns=columns, cells=cells, table_id="t")
                for number, cells in enumerate(rows)
            ]
        )

    return build


@pytest.fixture
def weapons(table):
    return table(WEAPONS, ("Weapon", "Damage", "Class", "Price"))


def others(table, number):
    return dict(table.others(table.rows[number]))


def test_a_row_is_named_by_a_cell_that_no_other_row_has(weapons):
    assert others(weapons, 1)["Damage"] == ("1d6",)
    assert others(weapons, 1)["Class"] == ("Heavy",)
    assert "Class" not in others(weapons, 0)


def test_a_range_is_named_by_the_numbers_that_only_it_holds(weapons):
    assert others(weapons, 0)["Price"] == tuple(map(str, range(2, 11)))
    assert others(weapons, 1)["Price"] == tuple(map(str, range(11, 40)))


def test_numbers_like_many_and_words_like_all_name_no_row(table):
    result = table([("a", "+4", "Varies", "20,000"), ("b", "+5", "x-ray", "9")], ("Key", "Bonus", "Note", "Cost"))
    assert others(result, 0) == {"Cost": ("20,000",)}
    assert others(result, 1) == {"Note": ("x-ray",)}


def test_rows_of_one_key_are_named_by_the_key_and_a_cell_together(table):
    rows = [("Sword", "Human", "1d8"), ("Sword", "Giant", "2d8"), ("Club", "Giant", "1d8")]
    result = table(rows, ("Weapon", "Wielder", "Damage"))
    assert not result.by_key(result.rows[1])
    both = {name: result.needs_key_with(result.rows[1], (name, output)) for name, output in others(result, 1).items()}
    assert both == {"Wielder": True, "Damage": False}
    assert result.distinct() == list(result.rows)


@pytest.mark.parametrize("cell", ["Empty", "Empty.", "Reserved (set to 0)", "N/A", "—"])
def test_hollow_cells_are_not_asked_for(table, cell):
    assert (
        table([("1", cell)], ("Param", "Description")).columns(table([("1", cell)], ("Param", "Description")).rows[0])
        == []
    )


def test_repeated_headings_and_first_values_are_no_answers(table):
    result = table([("Weapon", "Damage")], ("Name", "Damage"))
    assert result.columns(result.rows[0]) == []
    result = table([("Saving Throws", "Dexterity and Wisdom"), ("Tools", "Three")], ("Primary Ability", "Dexterity"))
    assert [result.columns(row) for row in result.rows] == [[], []]


def test_short_keys_are_those_that_only_one_row_has_all_words_of(table):
    rows = [("1 (Roll Angle)", "deg"), ("2 (Angle)", "rad"), ("Emblem (worn)", "cm"), ("Emblem (held)", "mm")]
    result = table(rows, ("Param (Label)", "Unit"))
    assert [result.short_keys(row) for row in result.rows] == [["Roll Angle", "Param 1"], ["Param 2"], [], []]


def test_a_word_that_only_one_key_has_stands_for_it_and_a_sentence_is_no_name(table):
    result = table([("You stand on higher ground than your opponent does", "yes sir")], ("Case", "Then"))
    assert not result.by_key(result.rows[0])
    result = table([("Grenade Launcher", "400"), ("Grenade, smoke", "20"), ("Ox", "15")], ("Weapon", "Cost"))
    assert [result.short_keys(row) for row in result.rows] == [["launcher"], ["smoke"], []]


COLUMNS = ("Item", "Weight (lbs)", "Maker")


@pytest.fixture
def draw_lookups(make_chunk):
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


def test_a_column_may_be_asked_for_without_its_name(draw_lookups):
    queries = {each.query.lower().strip("?") for each in draw_lookups(("Cord", "12", "Ana"), ("Line", "15", "Bo"))}
    assert {"ropes: how heavy is cord", "how heavy is cord in ropes"} <= queries
    assert any("weight" in query for query in queries)


def test_a_table_whose_rows_are_in_another_is_always_named(draw_lookups):
    assert all("ropes" in each.query.lower() for each in draw_lookups(("Cord", "12", "Ana"), ("Line", "15", "Bo")))


def test_a_row_that_is_nowhere_else_may_be_asked_for_without_its_table(draw_lookups):
    result = draw_lookups(("Cord", "12", "Ana"), ("Line", "15", "Bo"), twin=False)
    alone = [each.query.lower() for each in result if "ropes" not in each.query.lower()]
    assert any("cord" in query for query in alone)
    assert "how heavy is cord" in alone


def test_the_answer_is_the_cell_that_is_asked_for(draw_lookups):
    for each in draw_lookups(("Cord", "12", "Ana"), ("Line", "15", "Bo")):
        query = each.query.lower()
        if each.keys == {"maker": "Ana"}:
            assert each.answer in {"Cord", "12"}
            assert "cord" not in query
        elif "heavy" in query or "weigh" in query:
            assert each.answer == "12"
        elif "maker" in query:
            assert each.answer == "Ana"


def test_rows_of_one_key_are_named_by_two_cells(draw_lookups):
    result = draw_lookups(("Cord", "12", "Ana"), ("Cord", "15", "Bo"), ("Line", "15", "Ana"))
    both = [each for each in result if len(each.keys) > 1]
    assert both
    for each in both:
        assert each.keys == {"item": "Cord", "maker": "Ana"}
        assert "cord" in each.query.lower()
        assert "ana" in each.query.lower()
