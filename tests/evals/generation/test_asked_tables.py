import pytest

from evals.generation.asked_tables import AskedTable

WEAPONS = [
    ("Dagger", "1d4", "Light", "2-10"),
    ("Mace", "1d6", "Heavy", "11-40"),
    ("Spear", "1d8", "Light", "40-60"),
]


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
    found = table([("a", "+4", "Varies", "20,000"), ("b", "+5", "x-ray", "9")], ("Key", "Bonus", "Note", "Cost"))
    assert others(found, 0) == {"Cost": ("20,000",)}
    assert others(found, 1) == {"Note": ("x-ray",)}


def test_rows_of_one_key_are_named_by_the_key_and_a_cell_together(table):
    rows = [("Sword", "Human", "1d8"), ("Sword", "Giant", "2d8"), ("Club", "Giant", "1d8")]
    found = table(rows, ("Weapon", "Wielder", "Damage"))
    assert not found.by_key(found.rows[1])
    both = {name: found.needs_key_with(found.rows[1], (name, said)) for name, said in others(found, 1).items()}
    assert both == {"Wielder": True, "Damage": False}
    assert found.distinct() == list(found.rows)


def test_a_sentence_is_no_name(table):
    found = table([("You stand on higher ground than your opponent does", "yes sir")], ("Case", "Then"))
    assert not found.by_key(found.rows[0])


@pytest.mark.parametrize("cell", ["Empty", "Empty.", "Reserved (set to 0)", "N/A", "—"])
def test_hollow_cells_are_not_asked_for(table, cell):
    assert (
        table([("1", cell)], ("Param", "Description")).columns(table([("1", cell)], ("Param", "Description")).rows[0])
        == []
    )


def test_a_repeated_heading_is_no_answer(table):
    found = table([("Weapon", "Damage")], ("Name", "Damage"))
    assert found.columns(found.rows[0]) == []


def test_a_heading_that_is_the_first_value_is_not_asked_for(table):
    found = table([("Saving Throws", "Dexterity and Wisdom"), ("Tools", "Three")], ("Primary Ability", "Dexterity"))
    assert [found.columns(row) for row in found.rows] == [[], []]


def test_short_keys_are_those_that_only_one_row_has_all_words_of(table):
    rows = [("1 (Roll Angle)", "deg"), ("2 (Angle)", "rad"), ("Emblem (worn)", "cm"), ("Emblem (held)", "mm")]
    found = table(rows, ("Param (Label)", "Unit"))
    assert [found.short_keys(row) for row in found.rows] == [["Roll Angle", "Param 1"], ["Param 2"], [], []]


def test_a_word_that_only_one_key_has_stands_for_it(table):
    found = table([("Grenade Launcher", "400"), ("Grenade, smoke", "20"), ("Ox", "15")], ("Weapon", "Cost"))
    assert [found.short_keys(row) for row in found.rows] == [["launcher"], ["smoke"], []]
