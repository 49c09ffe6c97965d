"""Which table a pointer means."""

import pytest

from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.pointers import (
    Pointer,
    Titles,
    called,
    numbered,
    pointer_in,
    references,
    referrers,
    shortened,
)
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.table import Table
from retrieval.types import Book, Document


def table(*headings: str, caption: str | None = None, document: str = "d.md", introduced: bool = False) -> Table:
    return Table("", "b", document, headings, caption, ("Code",), (), (1, 2), introduced=introduced)


def meant(name: str, *tables: Table, is_code: bool = False) -> int | None:
    """Of tables, the one that the first of them points to."""
    return Titles(tables).meant(Pointer((name,), is_code), 0)


def test_a_table_is_meant_by_its_caption_its_number_or_its_own_heading() -> None:
    here = table("Fields")

    assert meant("load code", here, table("Other", caption="Load Codes")) == 1
    assert meant("table 7", here, table("Other", caption="Table 7: Load")) == 1
    assert meant("load", here, table("Other", caption="Table 7: Load")) == 1
    assert meant("load", here, table("Other", caption="Load (kilograms)")) == 1
    assert meant("load_code", here, table("LOAD_CODE"), is_code=True) == 1


def test_a_heading_over_two_tables_and_a_sentence_call_none_of_them() -> None:
    assert meant("load", table("Fields"), table("Load"), table("Load")) is None
    assert meant("load", table("Fields"), table("Other", caption="Load", introduced=True)) is None


def test_the_table_of_the_same_section_comes_before_a_nearer_one() -> None:
    far, near = table("Ship", caption="Status"), table("Shore", caption="Status")

    assert meant("status", table("Ship"), near, far) == 2
    assert meant("status", table("Ship"), far, table("Ship", caption="Status")) == 1


def test_the_table_of_the_same_document_comes_first_and_of_two_elsewhere_neither_is_meant() -> None:
    elsewhere = table("A", caption="Status", document="e.md")

    assert meant("status", table("Ship"), elsewhere, table("B", caption="Status")) == 2
    assert meant("status", table("Ship"), elsewhere) == 1
    assert meant("status", table("Ship"), elsewhere, table("B", caption="Status", document="f.md")) is None


def test_a_table_does_not_mean_itself() -> None:
    assert meant("ship", table("Ship")) is None


def test_in_its_own_section_a_table_is_meant_by_more_or_fewer_words_than_its_caption_has() -> None:
    here, modes = table("Ship"), table("Ship", caption="Transmit Modes")

    assert meant("transmit receive mode", here, modes) == 1
    assert meant("transmit mode", here, table("Ship", caption="Lock transmit modes")) == 1
    assert meant("mode", here, modes) is None
    assert meant("transmit receive mode", here, table("Shore", caption="Transmit Modes")) is None
    assert meant("transmit receive mode", here, modes, modes) is None
    assert meant("transmit receive mode", here, modes, is_code=True) is None


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ('See "Station Intervals"', "station interval"),
        ('(Part B) See "Ship Types"', "ship type"),
        ('0-5 (see "Subarea Types")', "subarea type"),
        ('See "Signal Status" below', "signal status"),
        ("see Table 7", "table 7"),
        ("Stairs (see Table 13: Stairs)", "table 13"),
        ("refer to Table 3-2.", "table 3-2"),
        ("cf. Load Codes", "load code"),
        ("PARAM1, see MAV_CMD enum", "mav_cmd"),
        ("General function (see table Modal Groups)", "modal group"),
        ('"Station Intervals"', "station interval"),
        ("MAV_AUTOPILOT", "mav_autopilot"),
        ("StationType", "stationtype"),
    ],
)
def test_a_cell_that_says_little_else_points_to_what_it_names(cell: str, name: str) -> None:
    pointer = pointer_in(cell)

    assert name in pointer.names


@pytest.mark.parametrize(
    "cell",
    [
        "Damage",
        "See below",
        "see entry",
        "DC",
        "2d6+1",
        "See Message Type 4",
        'See "Load Codes" and "Ship Types"',
        "Distance at which the target is given up, see Table 7",
        "",
    ],
)
def test_a_cell_without_a_pointer_or_with_more_than_one_points_to_nothing(cell: str) -> None:
    assert pointer_in(cell) is None


def test_only_an_identifier_points_without_a_word() -> None:
    code, output = pointer_in("LOAD_CODE"), pointer_in("see LOAD_CODE")

    assert [code and code.is_code, output and output.is_code] == [True, False]


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("Table 13: Stairs", ("table 13", "Stairs")),
        ("Table 3-2. Loads", ("table 3-2", "Loads")),
        ("Table IV – Omens", ("table iv", "Omens")),
        ("Tableware 3", None),
        ("Stairs", None),
    ],
)
def test_a_numbered_title_is_a_number_and_a_title(title: str, parts: tuple[str, str] | None) -> None:
    assert numbered(title) == parts


CODES = "\n| Code | Meaning |\n| - | - |\n| 0 | 15 seconds |\n| 1 | 6 minutes |\n| 2 | never |\n\n"


def find_referrers(text: str) -> dict[str, tuple[str, ...]]:
    """Names by the caption of the table, or its heading."""
    tables = parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables
    names = referrers(tables, [read_table(table) for table in tables])
    return {table.caption or table.heading_path[-1]: names[table.id] for table in tables if table.id in names}


def fields(*rows: str) -> str:
    lines = [f"| {4 * position}-{4 * position + 3} | 4 | {row} |" for position, row in enumerate(rows)]
    return "\n".join(["| Bits | Length | Field | Note |", "| - | - | - | - |", *lines, ""])


def test_codes_are_called_what_the_field_is_called_that_points_to_them() -> None:
    text = f"# Assignment\n\n{fields('Report Interval | See **Timing**', 'Quiet | minutes')}\n**Timing**\n{CODES}"

    assert find_referrers(text) == {"Timing": ("Report Interval",)}


def test_twin_captions_are_meant_each_by_its_own_section() -> None:
    parts = [
        f"# {name}\n\n{fields(f'{name} Lamp | See **Status**', 'Rest | -')}\n**Status**\n{CODES}"
        for name in ("Ship", "Shore")
    ]
    tables = parse_book(Book("b", "B", (Document("b", "d.md", "".join(parts)),))).tables
    names = referrers(tables, [read_table(table) for table in tables])

    assert [names.get(table.id) for table in tables] == [None, ("Ship Lamp",), None, ("Shore Lamp",)]


def test_an_identifier_points_to_its_heading_and_a_list_of_tables_names_none() -> None:
    heading = f"# FLY_MODE\n{CODES}"
    message = (
        "# Beat\n\n| Field | Type | Values |\n| - | - | - |\n| base_mode | int | FLY_MODE |\n| load | int | - |\n\n"
    )
    listed = "# Enums\n\n| Name | About |\n| - | - |\n| FLY_MODE | how it flies |\n| FLY_LOAD | what it has |\n\n"

    assert find_referrers(message + heading) == {"FLY_MODE": ("base mode",)}
    assert find_referrers(listed + heading) == {}


def test_a_table_that_rows_of_many_names_point_to_is_called_by_none() -> None:
    rows = [f"{name} | See **Timing**" for name in ("Report Interval", "Pause", "Wait", "Delay")]

    assert find_referrers(f"# A\n\n{fields(*rows[:3])}\n**Timing**\n{CODES}") == {
        "Timing": ("Report Interval", "Pause", "Wait")
    }
    assert find_referrers(f"# A\n\n{fields(*rows)}\n**Timing**\n{CODES}") == {}


def test_a_name_that_sends_to_many_tables_says_nothing_of_any() -> None:
    def parts(count: int) -> str:
        names = [f"Mode {letter}x" for letter in "ABCD"[:count]]
        rows = fields(*(f"Flags | See **{name}**" for name in names), "Lamp | -")
        return f"# A\n\n{rows}\n" + "".join(f"**{name}**\n{CODES}" for name in names)

    assert set(find_referrers(parts(3)).values()) == {("Flags",)}
    assert find_referrers(parts(4)) == {}


def test_a_name_that_the_table_says_itself_and_a_sentence_are_left_out() -> None:
    own = fields("Timing | See **Timing codes**", "Rest | -")
    long = fields("How long it waits before it reports | See **Timing**", "Rest | -")

    assert find_referrers(f"# A\n\n{own}\n**Timing codes**\n{CODES}") == {}
    assert find_referrers(f"# A\n\n{long}\n**Timing**\n{CODES}") == {}


def test_a_name_has_no_numbers_and_no_brackets_but_what_they_hold_where_there_is_nothing_else() -> None:
    rows = "Shape #1 (SH) | See **Forms**", "Shape #2 | See **Forms**", "3 (Turn) | See **Angles**"

    assert find_referrers(f"# A\n\n{fields(*rows)}\n**Forms**\n{CODES}**Angles**\n{CODES}") == {
        "Forms": ("Shape",),
        "Angles": ("Turn",),
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It burns (see Fireball).", ["Fireball"]),
        ("Refer to the Rules of Engagement for more.", ["Rules of Engagement for"]),
        ('see "Conditions" and “Cover”; done', ["Conditions", "Cover"]),
        ("See also _Mage Hand_.", ["Mage Hand"]),
        ('_See also_ "Cover."', ["Cover."]),
        ("as described in the fireball spell, it burns", ["fireball"]),
        ("You see a dragon. He saw Fireball.", []),
        ("see below", []),
        ("Stairs (see Table 13: Stairs)", ["Table 13"]),
        ("refer to Table 3.2.", ["Table 3.2"]),
        ("see table Modal Groups", ["Modal Groups"]),
        ("see the level progression chart", ["level progression"]),
        ("cf. Cover", ["Cover"]),
    ],
)
def test_a_reference_is_what_a_text_names_after_see(text: str, names: list[str]) -> None:
    assert list(references(text)) == names


def test_titles_are_compared_without_case_marks_and_plural_and_shortened_from_their_ends() -> None:
    assert called("**Station Types**") == called("Station type") == "station type"
    assert called("Gas") == "gas"
    assert list(shortened(["charge", "and", "run"])) == ["charge and run", "charge and", "charge"]
