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


def labels(reading):
    return [row.label for row in reading.rows]


READINGS = """
## A plain table is a grid with its first telling column as key
Armor|Cost|AC / Leather|5|8 / Chain|75|5
kind: grid
key column: 0
axis: None
roles: data data
## Pairs whose first stands in the heading are a record
Frequency:|Rare / Hit Dice:|4 / Size:|Large
kind: record
## Pairs under a blank corner are a record if most of them are named
|Large Construct / Hit Dice:|4 / more dice| / Size:|Large
kind: record
## Pairs under a blank corner are none if few of them are
|Cost / Sum:|4 / Rope|3 / Lamp|2
kind: grid
## A first row that is really a heading joins the one above
||Break DC| / Door|Hardness|Stuck|Locked / Stone|8|28|28 / Iron|10|28|28
columns: Door|Hardness|Break DC Stuck|Break DC Locked
roles: heading data data
## A row without a key under a heading over several columns is a heading
Pace|Distance per| / |Minute|Hour / Fast|400 feet|4 miles / Slow|200 feet|2 miles
columns: Pace|Distance per Minute|Distance per Hour
key column: 0
roles: heading data data
## Several lines without a key go on with the heading whatever figures they hold
Soil|Rate (kg)|| / |Index|| / |0|1|2 and more / Light|180|150|0-40 / Deep|250|220|60
columns: Soil|Rate (kg) Index 0|Rate (kg) Index 1|Rate (kg) Index 2 and more
roles: heading heading data data
## A line without a key goes on with the heading over the columns that have one
Soil|Ley|Index|| / ||Year 1|Year 2|Year 3 / Light|cut|1|2|1 / |grazed|1|2|2
columns: Soil|Ley|Index Year 1|Index Year 2|Index Year 3
## Names under the only words of a header are its columns
|Districts|| / Use|A/R-1|Trade (C)|Crafts / Bakery|P|C|C / Tannery|N|P|C / Stable|C|P|C / Forge|P|P|C
columns: Use|Districts A/R-1|Districts Trade (C)|Districts Crafts
## Words under the only words of a header are none
|Notes|| / oak|hard|dark|slow / ash|pale|tough|quick / elm|brown|wide|damp
columns: entry|Notes|column 3|column 4
## One text over all columns is joined with the headings below
Level|To hit|To hit|To hit / Level|AC 1|AC 2|AC 3 / 1|19|18|17 / 2|18|17|16
columns: Level|To hit AC 1|To hit AC 2|To hit AC 3
## A row like those below it is no second heading
Class|Saves|Saves|Saves / Fighter|1|2|3 / Cleric|2|2|4
columns: Class|Saves|Saves|Saves
roles: data data
## The unit below the numbers of a heading over several columns belongs to the heading
Crop|Index|| / |0|1|2 / |kg/ha|| / Beans|30|20|0
columns: Crop|Index kg/ha 0|Index kg/ha 1|Index kg/ha 2
roles: heading heading data
## A row that names the columns below a heading may name others too
Sludge|Lime||Sulphur / |Total|Free|kg/t / Dried|55|28|23
columns: Sludge|Lime Total|Lime Free|Sulphur kg/t
## The heading of two columns of keys has no names below it
Soil||Factor|Lime|| / |||pH 6.2|pH 5.5|pH 5 / Sand|Arable|6|3|7|10 / |Grass|4|0|3|5
columns: Soil|Soil|Factor|Lime pH 6.2|Lime pH 5.5|Lime pH 5
## The first pair under a blank heading is a row
| / Name|Longsword / Damage|1d8 / Weight|3
columns: entry|column 2
roles: data data data
## A first pair that names what those below are is a heading
| / Item|Cost / Rope|1 gp / Lamp|5 sp / Oil|1 sp / Tent|2 gp
columns: Item|Cost
## A first row of names heads a table of words where the header is blank
|| / Dish|Sauce|Course / Pike|dill|first / Hare|plum|second
columns: Dish|Sauce|Course
## A first row of names heads a table of numbers where the header is blank
|| / Dish of the day and week|Price|Grams / Pike|9|300 / Hare|12|250
columns: Dish of the day and week|Price|Grams
## A title over the table becomes the label of its rows
Special Abilities|| / Owner Level|Armor Adj.|Special / 1-2|+0|Alertness / 3-4|+1|--
columns: Owner Level|Armor Adj.|Special
labels: Special Abilities; Special Abilities; Special Abilities
## Headings that stand beside their cells are moved over them
Item||Cost||Crew| / Catapult|800||6|| / Ram|1000||10||
columns: Item|Cost|Crew
first cells: Catapult|800|6
## A blank corner is not closed up where a column is empty
|Cost|Notes / Rope|1 gp| / Lamp|5 sp|
columns: entry|Cost|Notes
first cells: Rope|1 gp|
## A label row names the rows below it and a footnote does not
Weapon|Cost|Damage / Simple weapons|| / Club|1|d4 / Exotic weapons|| / Whip|2|d2 / * see text||
roles: label data label data note
labels: None; Simple weapons; None; Exotic weapons; None
## A level without its feature is no label
Level|Feature / 2|Surge / 3| / 4|Talent
roles: data data data
labels: None; None; None
## A number that every column repeats is no label
Level|1|2|3 / 1|1|1|1 / 6|6|6|6 / 7|8|9|9
roles: data data data
labels: None; None; None
## A range of levels without its feature is no label
Level|Feature / 17th|Surge / 18-19| / 20+|
roles: data data data
labels: None; None; None
## An item without its price is no label
Item|Price / Torch|1 cp / Lamp| / Oil|1 sp
roles: data data data
labels: None; None; None
## A level may be a label
Spell|School|Range / 1st Level|| / Alarm|Abj.|30 / 2nd Level|| / Blur|Illusion|0
labels: None; 1st Level; None; 2nd Level
## So may a line of a table of two columns
Feature|Cost / Trigger| / Touch|100 gp / Reset| / Repair|200 gp
roles: label data label data
## A heading inside the table renames the columns below it
Engine|Cost|Damage|Crew / Ram|1000|3d6|10 / Modifiers||| / Condition|Modifier|| / No sight|-6|| / Moved|-2||
roles: data label heading data data
last columns: Condition|Modifier|Damage|Crew
## Columns without a heading are no axis
Item||||| / a|1|2|3|4|5 / b|1|2|3|4|5
axis: None
## A one-column table keeps its lines as data
Omens / Blood / Fire
roles: data data
## A row with a blank first cell stands under the one above
Software|Rating|Cost / Security|1|20 / |2|40 / |3|90 / Spying|1|50 / |2|60
labels: None; Security; Security; None; Spying
## A row that says what the one above leaves open stands under its words too
Code|Suffix|Article|Rate / 0101.21||Horses for breeding|Free / |10|Males| / |20|Females|
labels: None; 0101.21 Horses for breeding; 0101.21 Horses for breeding
key column: 2
## A blank first cell says nothing under a label
Tree|Size|Age / Oak|tall|9 / Shrubs|| / |low|3
labels: None; None; Shrubs
## A blank line below rows ends their group
Part|Price|Note / Hull|| / Keel|10| / Rib|2| / || / Total|12| / Tax|1|
labels: None; Hull; Hull; None; None
## A blank line below a label does not
Part|Price|Note / Hull|| / || / Keel|10| / Rib|2|
labels: None; Hull; Hull
"""
"""Under each heading a table, its header first and its rows between slashes, and what is read of it."""


def readings():
    for case in READINGS.strip().removeprefix("## ").split("\n## "):
        name, rows, *read = case.split("\n")
        yield pytest.param(rows.split(" / "), dict(line.split(": ", 1) for line in read), id=name)


@pytest.mark.parametrize(("rows", "expected"), list(readings()))
def test_a_table_is_read(rows, expected):
    reading = read_table(table(*rows))
    read = {
        "kind": reading.kind,
        "columns": "|".join(reading.columns),
        "last columns": "|".join(reading.rows[-1].columns),
        "first cells": "|".join(reading.rows[0].cells),
        "key column": str(reading.key_column),
        "axis": str(reading.axis),
        "roles": " ".join(roles(reading)),
        "labels": "; ".join(str(row.label) for row in reading.rows if any(row.cells)),
    }
    assert {name: read[name] for name in expected} == expected


def test_the_key_is_the_column_that_tells_the_rows_apart():
    rows = [f"{'Peak' if i < 6 else 'Vale'}|Town {i}|{i * 100}" for i in range(12)]

    assert read_table(table("County|Name|People", *rows)).key_column == 1


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


def test_rows_with_bold_keys_have_no_header_among_them():
    made = table("||", "Call|bake|starts", "Input|dish|its name", "|oven|its number")
    sources = ["| **Call** | `bake` | starts |", "| **Input** | `dish` | its name |", "| | `oven` | its number |"]
    rows = tuple(replace(row, source=source) for row, source in zip(made.rows, sources, strict=True))

    assert read_table(made).columns[0] == "Call"
    assert read_table(replace(made, rows=rows)).columns == ("entry", "column 2", "column 3")


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


def test_columns_that_differ_by_a_number_are_an_axis_and_codes_with_a_hyphen_are_none():
    reading = read_table(table("Level|To hit AC -1|To hit AC 0|To hit AC 1", "1|21|20|19"))
    assert reading.axis == Axis("To hit AC", (1, 2, 3), ("-1", "0", "1"))
    assert read_table(table("Use|R-1|R-2|R-3", "inn|1|2|3", "mill|4|5|6")).axis is None
    assert read_table(table("Roll|AC-1|AC0|AC1", "2|1|2|3", "3|4|5|6")).axis == Axis("AC", (1, 2, 3), ("-1", "0", "1"))


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


def test_a_row_in_bold_is_a_label_where_a_value_might_be_lacking():
    made = table("Food|Amount", "Flour|500 g", "For the sauce|", "Butter|50 g", "Salt|5 g")
    bold = replace(made, rows=tuple(replace(row, bold=position == 1) for position, row in enumerate(made.rows)))

    assert roles(read_table(made)) == ["data"] * 4
    assert labels(read_table(bold)) == [None, None, "For the sauce", "For the sauce"]


def test_a_row_merely_lacks_a_value_only_between_two_full_rows():
    made = table("Food|Amount", "Flour|500 g", "Sauces|", "For fish|", "Butter|50 g", "Salt|5 g")

    assert roles(read_table(made)) == ["data", "label", "label", "data", "data"]


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
def test_codes_and_numbers_of_something_can_be_named(header, keys, reason):
    made = tuple(
        TableRow((key, str(10 + position)), position + 3, f"| {key} | {10 + position} |")
        for position, key in enumerate(keys)
    )
    assert why(Table("t", "b", "d.md", (), None, header, made, (1, len(made) + 2))) == reason
