import json

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import check_fidelity, transform_tables
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.predicate import read_query_must
from retrieval.types import Book, Document


def rows_of(text):
    tables = parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables
    return tables, transform_tables(tables, Vocabulary.default())


def contents(text):
    return [json.loads(row.content) for row in rows_of(text)[1]]


def matrix(title, first=10, last=-10):
    lines = [
        f"## Attack Matrix for {title}",
        "",
        "| Opponent Armor Class | Level 1-3 | Level 4-6 | Level 7+ |",
        "| - | - | - | - |",
    ]
    lines += [f"| {ac} | {20 - ac} | {18 - ac} | {16 - ac} |" for ac in range(first, last - 1, -1)]
    return "\n".join(lines) + "\n\n"


def test_a_row_is_an_object_that_explains_itself():
    (row,) = contents("# Gear\n\n**Armor**\n\n| Type | Cost | Note |\n| - | - | - |\n| Leather | 1,100 | soft |\n")

    assert row == {
        "title": "Armor - Leather",
        "description": "From Gear.",
        "Type": "Leather",
        "Cost": 1100,
        "Note": "soft",
    }


def test_the_description_says_what_the_table_is_for_and_where_it_is_and_nothing_twice():
    table = "| Weapon | Cost |\n| - | - |\n| Simple | |\n| Club | 1 |\n| Mace | 8 |\n"
    output = contents(f"# Gear\n\n## Weapon Prices\n\nEvery smith asks for this much silver:\n\n{table}")

    assert output[1]["title"] == "Weapon Prices - Club"
    assert output[1]["description"] == "Every smith asks for this much silver. Under Simple. From Gear."
    (of_caption,) = {row["description"] for row in contents(f"# Gear\n\n## Weapons\n\n**Table: Gear**\n\n{table}")[1:]}
    assert of_caption == "Under Simple. From Weapons."


def test_a_number_is_called_with_its_column_and_columns_are_written_out_as_the_book_does():
    table = "| AC | Lvl 1-3 | Lvl 4-6 | Lvl 7 |\n| - | - | - | - |\n| 6 | 10 | 8 | 6 |\n"
    _, (row,) = rows_of(f"# Fighters\n\n## Armor class and level\n\n{table}")

    assert row.called == "Armor Class 6"
    content = json.loads(row.content)
    assert content["title"] == "Armor class and level - Armor Class 6"
    assert content["Armor Class"] == 6
    assert list(content["Level"]) == ["1", "2", "3", "4", "5", "6", "7"]
    assert (row.key, row.columns[0]) == ("6", "AC")


def test_a_row_without_its_key_is_called_by_the_key_above_and_the_cell_that_stands_for_its_own():
    rows = [f"| {number} | {number * 10} | x |" for number in range(1, 12)]
    _, made = rows_of("\n".join(["# Doors", "", "| Door | Weight | Note |", "| - | - | - |", *rows, "| | 95 | y |"]))

    assert [made[0].called, made[-1].called] == ["Door 1", "Door 11, Weight 95"]


def test_pairs_and_records_are_written_out_too():
    pairs = "# Hit points\n\n| HP | Cost | HP | Cost |\n| - | - | - | - |\n| 4 | 10 | 21 | 30 |\n"
    record = "# Ogre\n\nIt has many hit points.\n\n| HP: | 30 |\n| - | - |\n| Size: | Large |\n"
    tables = parse_book(Book("b", "B", (Document("b", "d.md", record),))).tables

    assert {"Hit Points": 21, "Cost": 30}.items() <= contents(pairs)[1].items()
    (known,) = transform_tables(tables, Vocabulary.default(), [record])
    (unknown,) = transform_tables(tables, Vocabulary.default())
    assert (json.loads(known.content)["Hit Points"], json.loads(unknown.content)["HP"]) == (30, 30)


def test_headings_of_ranges_are_expanded_and_those_of_digits_keep_their_zero():
    row = contents(matrix("Clerics", 6, 6))[0]
    assert row["Level"] == {"1": 14, "2": 14, "3": 14, "4": 12, "5": 12, "6": 12, "7+": 10}
    text = "| STAR | RWY 03 | RWY 06 | RWY 21 |\n| - | - | - | - |\n| IPMOR A | 17 | 14 | 15 |\n"
    assert contents(text)[0]["RWY"] == {"03": 17, "06": 14, "21": 15}


def test_decimals_and_versions_in_headings_stay_whole():
    text = "| Weight | Dose 0.05 | Dose 0.1 | Dose 0.15 |\n| - | - | - | - |\n| 4 kg | 0.8 | 1.5 | 2.2 |\n"
    versions = (
        "| Module | Python 3.10 | Python 3.11 | Python 3.12 |\n| - | - | - | - |\n| distutils | yes | yes | no |\n"
    )

    assert {"Dose 0.05": 0.8, "Dose 0.1": 1.5, "Dose 0.15": 2.2}.items() <= contents(text)[0].items()
    assert {"Python 3.10": "yes", "Python 3.12": "no"}.items() <= contents(versions)[0].items()


def test_each_part_of_a_table_side_by_side_is_a_row_of_its_own():
    text = "| CR | XP | CR | XP |\n| - | - | - | - |\n| 4 | 1,100 | 21 | 33,000 |\n| 5 | 1,800 | | |\n"
    apart = "| CR | XP | | CR | XP |\n| - | - | - | - | - |\n| 4 | 1,100 | | 21 | 33,000 |\n| 5 | 1,800 | | | |\n"

    for table in (text, apart):
        assert [(row["CR"], row["XP"]) for row in contents(table)] == [(4, 1100), (5, 1800), (21, 33000)]
        assert any(name.endswith(" 21") for name in rows_of(table)[1][2].names)


def test_a_key_value_block_is_one_record_with_the_pair_of_its_heading_line():
    _, (row,) = rows_of(
        "# M\n\n**Ogre, cave**\n\n| Frequency: | Rare |\n| - | - |\n| Hit Dice: | 4 |\n| Size: | Large |\n"
    )

    assert row.kind == "record"
    assert json.loads(row.content)["Frequency"] == "Rare"
    assert json.loads(row.content)["Hit Dice"] == 4
    assert "cave Ogre" in row.names
    assert "| Hit Dice: | 4 |" in row.source


def test_a_column_called_title_does_not_replace_the_title():
    row = contents("| title | year |\n| - | - |\n| Polio Water | 1995 |\n| Pups | 1999 |\n")[0]

    assert row["title"] == "d - Polio Water"
    assert row["title value"] == "Polio Water"


def test_a_matrix_row_demands_its_value_and_with_twins_its_subject():
    _, rows = rows_of("# Combat\n\n" + matrix("Clerics, Druids and Monks") + matrix("Fighters"))
    first = json.loads(rows[0].content)["query_must"]["contain_one_of"]
    assert first[0] == ["cleric", "druid", "monk"]
    assert first[1][:2] == ["opponent armor class 10", "ac 10"]
    assert "what ac" in first[1]
    assert len(rows) == 42
    assert all("query_must" in json.loads(row.content) for row in rows)
    _, rows = rows_of("# Combat\n\n" + matrix("All Characters"))
    assert all(len(json.loads(row.content)["query_must"]["contain_one_of"]) == 1 for row in rows)


def test_a_range_row_demands_a_number_of_its_label():
    header = "| Level | AC 2 | AC 3 | AC 4 |\n| - | - | - | - |\n"
    body = "".join(f"| {n}-{n + 1} | {20 - n} | {19 - n} | {18 - n} |\n" for n in range(1, 20, 2))
    _, rows = rows_of("# Hits\n\n" + header + body)

    (group,) = json.loads(rows[0].content)["query_must"]["contain_one_of"]
    assert group[:3] == ["level 1", "level 2", "what level"]


def test_a_level_is_named_by_a_bare_number_behind_what_the_table_is_about():
    header = "| Level | AC 2 | AC 3 | AC 4 |\n| - | - | - | - |\n"
    body = "".join(f"| {n} | {20 - n} | {19 - n} | {18 - n} |\n" for n in range(1, 20))
    _, rows = rows_of("# Clerics\n\n## Hits by level of experience\n\n" + header + body)
    must = read_query_must(extract_predicates(rows)[6].query_must)

    assert must.holds(canonical("what does a cleric 7 need to hit AC 3"))
    assert not must.holds(canonical("what do 7 clerics need"))
    assert not must.holds(canonical("a cleric 8 against 7 ogres"))


def test_a_number_behind_what_a_table_is_about_is_no_armor_class():
    _, rows = rows_of("# Clerics\n\n" + matrix("All Characters"))
    must = read_query_must(extract_predicates(rows)[3].query_must)

    assert must.holds(canonical("cleric of level 3 against AC 7"))
    assert not must.holds(canonical("what does a cleric 7 need"))


def test_price_lists_short_tables_and_lists_of_names_ask_nothing_unless_a_rival_is_named():
    price = "# P\n\n| Level | Price |\n| - | - |\n" + "".join(f"| {n} | {n * 10} |\n" for n in range(1, 20))
    short = "# S\n\n" + matrix("Nobody", 3, 1)
    named = "# N\n\n| Spell | 1 | 2 | 3 |\n| - | - | - | - |\n" + "".join(
        f"| Spell {c} | 1 | 2 | 3 |\n" for c in "abcdefghij"
    )

    for text in (price, short, named):
        places = [row["query_must"]["contain_no_rival"]["row"] for row in contents(text)]
        assert places == list(range(len(places)))
        assert all(list(row["query_must"]) == ["contain_no_rival"] for row in contents(text))


def test_the_predicate_moves_from_the_content_to_the_row():
    _, rows = rows_of("# Combat\n\n" + matrix("Clerics"))
    extracted = extract_predicates(rows)

    assert all("query_must" not in json.loads(row.content) for row in extracted)
    assert json.loads(extracted[0].query_must) == json.loads(rows[0].content)["query_must"]


DIRTY = """# Dirt

| Weapon | Cost | |
| - | - | - |
| Simple | | |
| Club | 1 | d4 | extra |
| Whip |
| * note | | |

| | | Break DC | |
| - | - | - | - |
| Door | Hard | Stuck | Locked |
| Stone | 8 | 28 | 28 |

| a: | 1 |
| - | - |
| b: | 2 |
| | |
"""


def test_every_source_cell_is_in_exactly_one_row_and_others_are_reported_with_their_line():
    tables, rows = rows_of(DIRTY)
    assert check_fidelity(tables, rows) == ()
    club = next(row for row in rows if row.key == "Club")
    (lost,) = check_fidelity(tables, [row for row in rows if row is not club])
    assert lost.line == 6
    assert "missing" in lost.reason
    (doubled,) = check_fidelity(tables, [*rows, club])
    assert "not in the source" in doubled.reason


def test_every_label_of_a_key_and_every_column_of_ranges_gives_names():
    _, (first, _) = rows_of(
        "# E\n\n| Intelligence/Wisdom | Load | Weight |\n| - | - | - |\n"
        "| 10-11 | Light | 0-2 lb. |\n| 12-13 | Heavy | 3-4 lb. |\n"
    )

    assert {"int 10", "wis 11", "Weight 2", "2 lb"} <= set(first.names)


def test_codes_are_searched_by_the_field_that_points_to_them_and_their_predicates_stay_as_they_are():
    def book(note):
        fields = f"| Bits | Field | Note |\n| - | - | - |\n| 0-3 | Report Pace | {note} |\n| 4-9 | Lamp | on |\n"
        codes = "| Code | Meaning |\n| - | - |\n| 1 | 15 seconds |\n| 2 | never |\n| 3 | at once |\n"
        return parse_book(Book("b", "B", (Document("b", "d.md", f"# A\n\n{fields}\n**Timing**\n\n{codes}"),)))

    def made(book):
        rows = extract_predicates(transform_tables(book.tables, Vocabulary.default()))
        return [chunk for chunk in chunk_book(book, rows) if chunk.caption == "Timing"]

    pointed, plain = made(book('See "Timing"')), made(book("minutes"))

    assert [chunk.searched_as for chunk in pointed] == [("Report Pace",)] * 3
    assert all("Report Pace" in chunk.search_text for chunk in pointed)
    assert not any("Report Pace" in chunk.search_text for chunk in plain)
    assert [(chunk.names, chunk.query_must) for chunk in pointed] == [
        (chunk.names, chunk.query_must) for chunk in plain
    ]


def test_a_row_whose_key_another_row_has_is_called_by_the_columns_before_it_too():
    plans = "| Plan | Level | Price |\n| - | - | - |\n| Basic | 1-3 | 10 |\n| Basic | 4-6 | 12 |\n| Gold | 1-3 | 20 |\n"
    modes = "| Pump | Valve | Result |\n| - | - | - |\n| ON | ON | a |\n| ON | OFF | b |\n| OFF | ON | c |\n"
    files = (
        "| Console | Panel | File |\n| - | - | - |\n| **Tiger** | | |\n| | 1st | x |\n| **Puma** | | |\n| | 1st | y |\n"
    )

    assert [row.called for row in rows_of(f"{plans}| Gold | 4-6 | 10 |\n")[1]][1:3] == [
        "Basic, Level 4-6",
        "Gold, Level 1-3",
    ]
    assert [row.called for row in rows_of(f"{modes}| OFF | OFF | d |\n")[1]][1] == "Pump ON, Valve OFF"
    assert [row.called for row in rows_of(files)[1]] == ["Tiger", "Tiger, Panel 1st", "Puma", "Puma, Panel 1st"]
    assert rows_of(f"{plans}| Gold | 4-6 | 10 |\n")[1][0].names[0] == "Basic"


def test_the_first_cell_of_a_group_names_all_rows_of_the_group_and_no_word_is_repeated():
    doses = "| Drug | Dose |\n| - | - |\n| Brom | one tablet |\n| | one drop |\n| Tess | 9 mg |\n| | two drops |\n"
    routes = (
        "| Drug | Route | Dose |\n| - | - | - |\n| Brom | vein | 1 |\n| Brom | muscle | 4 |\n| Tess | vein | 2 |\n"
        "| vein | vein | 5 |\n"
    )

    by_group, by_both = rows_of(doses)[1], rows_of(routes)[1]

    assert [row.called for row in by_group] == [
        "Brom, one tablet",
        "Brom, one drop",
        "Tess, Dose 9 mg",
        "Tess, two drops",
    ]
    assert [row.called for row in by_both] == ["Brom, vein", "Brom, muscle", "Tess, vein", "vein"]
    assert ["Brom" in row.names for row in by_group] == [True, True, False, False]
    assert ["Brom" in row.names for row in by_both[:3]] == [True, True, False]


@pytest.mark.parametrize(
    ("cells", "notes"), [("12* | ", ["Not at night."]), ("12* | old", ["Not at night."]), ("12 | old", [])]
)
def test_a_chunk_has_the_notes_of_its_row_beside_a_column_of_that_name(cells, notes):
    table = f"| Door | Weight | notes |\n| - | - | - |\n| Oak | {cells} |\n| Iron | 40 | new |\n"
    text = f"# Doors\n\n{table}\n\\* Not at night.\n"
    book = parse_book(Book("b", "B", (Document("b", "d.md", text),)))
    rows = extract_predicates(transform_tables(book.tables, Vocabulary.default()))

    oak, _ = (chunk for chunk in chunk_book(book, rows) if chunk.cells)

    assert list(oak.notes) == notes
