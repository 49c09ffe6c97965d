"""Which tables have rows that a question can name."""

from dataclasses import replace

import pytest

from retrieval.ingest.tables.reading import Axis, read_table, why_unkeyed
from retrieval.ingest.tables.row_object import names_of_rows
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.language.vocabulary import Vocabulary


def table(header, *rows):
    made = tuple(TableRow(tuple(row.split("|")), number + 3, row) for number, row in enumerate(rows))
    return Table("t", "b", "d.md", ("H",), "Caption", tuple(header.split("|")), made, (1, len(rows) + 2), header)


def roles(reading):
    return [row.role for row in reading.rows]


def test_a_plain_table_is_a_grid_with_its_first_telling_column_as_key():
    reading = read_table(table("Armor|Cost|AC", "Leather|5|8", "Chain|75|5"))

    assert (reading.kind, reading.key_column, reading.axis) == ("grid", 0, None)
    assert roles(reading) == ["data", "data"]


def test_the_key_is_the_column_that_tells_the_rows_apart():
    rows = [f"{'Peak' if i < 6 else 'Vale'}|Town {i}|{i * 100}" for i in range(12)]

    assert read_table(table("County|Name|People", *rows)).key_column == 1


def test_pairs_whose_first_stands_in_the_heading_are_a_record():
    assert read_table(table("Frequency:|Rare", "Hit Dice:|4", "Size:|Large")).kind == "record"


def test_pairs_under_a_blank_corner_are_a_record_if_most_of_them_are_named():
    assert read_table(table("|Large Construct", "Hit Dice:|4", "more dice|", "Size:|Large")).kind == "record"
    assert read_table(table("|Cost", "Sum:|4", "Rope|3", "Lamp|2")).kind == "grid"


def test_a_first_row_that_is_really_a_heading_joins_the_one_above():
    reading = read_table(table("||Break DC|", "Door|Hardness|Stuck|Locked", "Stone|8|28|28", "Iron|10|28|28"))

    assert reading.columns == ("Door", "Hardness", "Break DC Stuck", "Break DC Locked")
    assert roles(reading) == ["heading", "data", "data"]


def test_a_row_without_a_key_under_a_heading_over_several_columns_is_a_heading():
    reading = read_table(table("Pace|Distance per|", "|Minute|Hour", "Fast|400 feet|4 miles", "Slow|200 feet|2 miles"))

    assert reading.columns == ("Pace", "Distance per Minute", "Distance per Hour")
    assert (reading.key_column, roles(reading)) == (0, ["heading", "data", "data"])


def test_several_lines_without_a_key_go_on_with_the_heading_whatever_figures_they_hold():
    lines = ["|Index||", "|0|1|2 and more", "Light|180|150|0-40", "Deep|250|220|60"]
    reading = read_table(table("Soil|Rate (kg)||", *lines))
    assert reading.columns == ("Soil", "Rate (kg) Index 0", "Rate (kg) Index 1", "Rate (kg) Index 2 and more")
    assert roles(reading) == ["heading", "heading", "data", "data"]

    merged = read_table(table("Soil|Ley|Index||", "||Year 1|Year 2|Year 3", "Light|cut|1|2|1", "|grazed|1|2|2"))
    assert merged.columns[2:] == ("Index Year 1", "Index Year 2", "Index Year 3")


@pytest.mark.parametrize(
    "first",
    [
        pytest.param("|10|10|30", id="a name twice"),
        pytest.param("|10||30", id="a column without a name"),
        pytest.param("oak|10|20|30", id="a key"),
    ],
)
def test_a_first_row_that_names_no_columns_is_data(first: str):
    reading = read_table(table("Tree|Height||", first, "ash|10|20|40", "elm|20|20|50"))
    assert reading.columns[1:] == ("Height", "column 3", "column 4")
    assert roles(reading)[0] == "data"


def test_names_under_the_only_words_of_a_header_are_its_columns():
    codes = ["Bakery|P|C", "Tannery|N|P", "Stable|C|P", "Forge|P|P"]
    reading = read_table(table("|Districts||", "Use|A/R-1|Trade (C)|Crafts", *(f"{code}|C" for code in codes)))
    assert reading.columns == ("Use", "Districts A/R-1", "Districts Trade (C)", "Districts Crafts")
    words = ["oak|hard|dark|slow", "ash|pale|tough|quick", "elm|brown|wide|damp"]
    assert read_table(table("|Notes||", *words)).columns[1] == "Notes"


def test_one_text_over_all_columns_is_joined_with_the_headings_below():
    reading = read_table(table("Level|To hit|To hit|To hit", "Level|AC 1|AC 2|AC 3", "1|19|18|17", "2|18|17|16"))

    assert reading.columns == ("Level", "To hit AC 1", "To hit AC 2", "To hit AC 3")


def test_a_row_like_those_below_it_is_no_second_heading():
    reading = read_table(table("Class|Saves|Saves|Saves", "Fighter|1|2|3", "Cleric|2|2|4"))

    assert reading.columns == ("Class", "Saves", "Saves", "Saves")
    assert roles(reading) == ["data", "data"]


def test_the_unit_below_the_numbers_of_a_heading_over_several_columns_belongs_to_the_heading():
    reading = read_table(table("Crop|Index||", "|0|1|2", "|kg/ha||", "Beans|30|20|0"))

    assert reading.columns == ("Crop", "Index kg/ha 0", "Index kg/ha 1", "Index kg/ha 2")
    assert roles(reading) == ["heading", "heading", "data"]


def test_a_row_that_names_the_columns_below_a_heading_may_name_others_too():
    reading = read_table(table("Sludge|Lime||Sulphur", "|Total|Free|kg/t", "Dried|55|28|23"))

    assert reading.columns == ("Sludge", "Lime Total", "Lime Free", "Sulphur kg/t")


def test_the_first_pair_under_a_blank_heading_is_a_row():
    pairs = read_table(table("|", "Name|Longsword", "Damage|1d8", "Weight|3"))
    prices = read_table(table("|", "Item|Cost", "Rope|1 gp", "Lamp|5 sp", "Oil|1 sp", "Tent|2 gp"))

    assert (pairs.columns, roles(pairs)) == (("entry", "column 2"), ["data"] * 3)
    assert prices.columns == ("Item", "Cost")


@pytest.mark.parametrize(
    ("first", "others"),
    [
        pytest.param("Heat|Warms the plate.|0 to 9", ["Timer|Ends the run.|1 to 60"], id="a sentence"),
        pytest.param("Heat|how warm the plate gets at its edge|low", ["Timer|minutes|off"], id="many words"),
        pytest.param(
            "Heat|a knob|front", ["Timer|a dial|front", "Fan|a switch|back"], id="what a row below says there"
        ),
    ],
)
def test_a_first_row_like_those_below_is_data_where_the_header_is_blank(first: str, others: list[str]):
    reading = read_table(table("||", first, *others))

    assert reading.columns == ("entry", "column 2", "column 3")
    assert set(roles(reading)) == {"data"}


def test_a_first_row_of_names_heads_a_table_where_the_header_is_blank():
    words = read_table(table("||", "Dish|Sauce|Course", "Pike|dill|first", "Hare|plum|second"))
    numbers = read_table(table("||", "Dish of the day and week|Price|Grams", "Pike|9|300", "Hare|12|250"))

    assert (words.columns, numbers.columns[1:]) == (("Dish", "Sauce", "Course"), ("Price", "Grams"))


def test_rows_with_bold_keys_have_no_header_among_them():
    made = table("||", "Call|bake|starts", "Input|dish|its name", "|oven|its number")
    sources = ["| **Call** | `bake` | starts |", "| **Input** | `dish` | its name |", "| | `oven` | its number |"]
    rows = tuple(replace(row, source=source) for row, source in zip(made.rows, sources, strict=True))

    assert read_table(made).columns[0] == "Call"
    assert read_table(replace(made, rows=rows)).columns == ("entry", "column 2", "column 3")


def test_a_title_over_the_table_becomes_the_label_of_its_rows():
    reading = read_table(
        table("Special Abilities||", "Owner Level|Armor Adj.|Special", "1-2|+0|Alertness", "3-4|+1|--")
    )

    assert reading.columns == ("Owner Level", "Armor Adj.", "Special")
    assert reading.rows[1].label == "Special Abilities"


def test_headings_that_stand_beside_their_cells_are_moved_over_them():
    reading = read_table(table("Item||Cost||Crew|", "Catapult|800||6||", "Ram|1000||10||"))

    assert reading.columns == ("Item", "Cost", "Crew")
    assert reading.rows[0].cells == ("Catapult", "800", "6")


def test_a_blank_corner_is_not_closed_up_where_a_column_is_empty():
    read = read_table(table("|Cost|Notes", "Rope|1 gp|", "Lamp|5 sp|"))

    assert read.columns == ("entry", "Cost", "Notes")
    assert read.rows[0].cells == ("Rope", "1 gp", "")


def test_a_label_row_names_the_rows_below_it_and_a_footnote_does_not():
    reading = read_table(
        table("Weapon|Cost|Damage", "Simple weapons||", "Club|1|d4", "Exotic weapons||", "Whip|2|d2", "* see text||")
    )

    assert roles(reading) == ["label", "data", "label", "data", "note"]
    assert [row.label for row in reading.rows] == [None, "Simple weapons", None, "Exotic weapons", None]


@pytest.mark.parametrize(
    "read",
    [
        table("Level|Feature", "2|Surge", "3|", "4|Talent"),
        table("Level|1|2|3", "1|1|1|1", "6|6|6|6", "7|8|9|9"),
        table("Level|Feature", "17th|Surge", "18-19|", "20+|"),
        table("Item|Price", "Torch|1 cp", "Lamp|", "Oil|1 sp"),
    ],
)
def test_a_row_of_a_number_or_without_its_price_is_no_label(read):
    assert roles(read_table(read)) == ["data"] * 3
    assert {row.label for row in read_table(read).rows} == {None}


def test_a_level_may_be_a_label_and_so_may_a_line_of_a_table_of_two_columns():
    spells = read_table(table("Spell|School|Range", "1st Level||", "Alarm|Abj.|30", "2nd Level||", "Blur|Illusion|0"))
    costs = read_table(table("Feature|Cost", "Trigger|", "Touch|100 gp", "Reset|", "Repair|200 gp"))

    assert [row.label for row in spells.rows] == [None, "1st Level", None, "2nd Level"]
    assert roles(costs) == ["label", "data", "label", "data"]


def test_a_heading_inside_the_table_renames_the_columns_below_it():
    reading = read_table(
        table(
            "Engine|Cost|Damage|Crew",
            "Ram|1000|3d6|10",
            "Modifiers|||",
            "Condition|Modifier||",
            "No sight|-6||",
            "Moved|-2||",
        )
    )

    assert roles(reading) == ["data", "label", "heading", "data", "data"]
    assert reading.rows[4].columns[:2] == ("Condition", "Modifier")


def test_a_row_that_fills_the_places_of_the_rows_above_the_label_is_no_heading():
    read = read_table(
        table(
            "Feature||CR||",
            "+15 to +19||+1||",
            "Features||||",
            "Device||Level of spell||",
            "Liquid||+5||",
            "Delay||+3||",
            "Poison|x|+1|Venom|+3",
        )
    )

    assert roles(read)[2:5] == ["data"] * 3
    assert read.rows[3].columns == read.columns


def test_pairs_side_by_side_have_a_period():
    reading = read_table(table("CR|XP|CR|XP", "1|200|14|11,500", "2|450|15|13,000"))

    assert reading.period == 2


def test_columns_that_differ_by_a_number_are_an_axis():
    reading = read_table(table("Level|To hit AC -1|To hit AC 0|To hit AC 1", "1|21|20|19"))

    assert reading.axis == Axis("To hit AC", (1, 2, 3), ("-1", "0", "1"))


def test_codes_with_a_hyphen_are_no_axis_of_negative_numbers():
    assert read_table(table("Use|R-1|R-2|R-3", "inn|1|2|3", "mill|4|5|6")).axis is None
    assert read_table(table("Roll|AC-1|AC0|AC1", "2|1|2|3", "3|4|5|6")).axis == Axis("AC", (1, 2, 3), ("-1", "0", "1"))


def test_columns_without_a_heading_are_no_axis():
    assert read_table(table("Item|||||", "a|1|2|3|4|5", "b|1|2|3|4|5")).axis is None


def test_a_one_column_table_keeps_its_lines_as_data():
    assert roles(read_table(table("Omens", "Blood", "Fire"))) == ["data", "data"]


def underlined(places, header, *rows):
    made = table(header, *rows)
    marked = (replace(row, underlined=position in places) for position, row in enumerate(made.rows))
    return read_table(replace(made, rows=tuple(marked)))


def test_a_row_over_a_delimiter_line_heads_the_rows_below_if_it_names_a_column_again():
    reading = underlined({2}, "Weapon|Cost", "Club|1", "Bow|9", "Armor|Cost", "Leather|8", "Mail|30")

    assert roles(reading) == ["data", "data", "heading", "data", "data"]
    assert reading.rows[3].columns == ("Armor", "Cost")
    assert roles(underlined({1}, "Tree|Height", "Oak|60", "Shrub|Spread", "Rose|2")) == ["data", "heading", "data"]


def test_a_delimiter_line_that_only_parts_rows_makes_no_heading():
    assert roles(underlined({1}, "Tree|Bark", "Oak|rough", "Fir|scaly", "Birch|smooth")) == ["data"] * 3
    assert roles(underlined({0, 1}, "Tree|Height", "Oak|tall", "Tree|tall", "Rose|2")) == ["data"] * 3
    assert roles(underlined({1}, "Tree|Height", "Oak|60", "Fir|50")) == ["data"] * 2


def test_a_first_row_over_a_delimiter_line_continues_the_header():
    reading = underlined({0}, "Tree|Size|", "|Height|Girth", "Oak|tall|wide", "Fir|tall|thin")

    assert reading.columns == ("Tree", "Size Height", "Size Girth")
    assert roles(reading) == ["heading", "data", "data"]


def labels(reading):
    return [row.label for row in reading.rows]


def test_a_row_with_a_blank_first_cell_stands_under_the_one_above():
    reading = read_table(table("Software|Rating|Cost", "Security|1|20", "|2|40", "|3|90", "Spying|1|50", "|2|60"))

    assert labels(reading) == [None, "Security", "Security", None, "Spying"]


def test_a_row_that_says_what_the_one_above_leaves_open_stands_under_its_words_too():
    reading = read_table(
        table("Code|Suffix|Article|Rate", "0101.21||Horses for breeding|Free", "|10|Males|", "|20|Females|")
    )

    assert labels(reading) == [None, "0101.21 Horses for breeding", "0101.21 Horses for breeding"]
    assert reading.key_column == 2


def test_a_blank_first_cell_says_nothing_under_a_label_or_in_pairs_side_by_side():
    parted = read_table(table("Tree|Size|Age", "Oak|tall|9", "Shrubs||", "|low|3"))
    paired = read_table(table("Race|Price|Race|Price", "Elf|1|Orc|2", "||Ogre|3"))

    assert labels(parted) == [None, None, "Shrubs"]
    assert labels(paired) == [None, None]


def test_a_row_in_bold_is_a_label_where_a_value_might_be_lacking():
    made = table("Food|Amount", "Flour|500 g", "For the sauce|", "Butter|50 g", "Salt|5 g")
    bold = replace(made, rows=tuple(replace(row, bold=position == 1) for position, row in enumerate(made.rows)))

    assert roles(read_table(made)) == ["data"] * 4
    assert labels(read_table(bold)) == [None, None, "For the sauce", "For the sauce"]


def test_a_blank_line_below_rows_ends_their_group():
    reading = read_table(table("Part|Price|Note", "Hull||", "Keel|10|", "Rib|2|", "||", "Total|12|", "Tax|1|"))

    assert [row.label for row in reading.rows if row.role == "data" and any(row.cells)] == ["Hull", "Hull", None, None]


def test_a_blank_line_below_a_label_does_not():
    reading = read_table(table("Part|Price|Note", "Hull||", "||", "Keel|10|", "Rib|2|"))

    assert [row.label for row in reading.rows if row.role == "data" and any(row.cells)] == ["Hull", "Hull"]


def why(table: Table) -> str | None:
    vocabulary, reading = Vocabulary.default(), read_table(table)
    return why_unkeyed(reading, names_of_rows(reading, vocabulary), vocabulary)


@pytest.mark.parametrize(
    ("header", "keys", "reason"),
    [
        (("Thread", "Nm"), ("M10", "M12", "M16"), None),
        (("Temperature (°C)", "Ohms"), ("20", "40", "60"), None),
        (("Heading", "Duty"), ("6205.20", "6205.30", "6206.10"), None),
        (("Grade", "Nm"), ("A", "B", "C"), "nameless"),
    ],
)
def test_codes_and_numbers_of_something_can_be_named(
    header: tuple[str, str], keys: tuple[str, ...], reason: str | None
) -> None:
    made = tuple(
        TableRow((key, str(10 + position)), position + 3, f"| {key} | {10 + position} |")
        for position, key in enumerate(keys)
    )
    assert why(Table("t", "b", "d.md", (), None, header, made, (1, len(made) + 2))) == reason
