"""What the rows are called that point to a table."""

from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.pointers.referrers import referrers
from retrieval.ingest.tables.reading import read_table
from retrieval.types import Book, Document

CODES = "\n| Code | Meaning |\n| - | - |\n| 0 | 15 seconds |\n| 1 | 6 minutes |\n| 2 | never |\n\n"


def found(text: str) -> dict[str, tuple[str, ...]]:
    """Names by the caption of the table, or its heading."""
    tables = parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables
    names = referrers(tables, [read_table(table) for table in tables])
    return {table.caption or table.heading_path[-1]: names[table.id] for table in tables if table.id in names}


def fields(*rows: str) -> str:
    lines = [f"| {4 * place}-{4 * place + 3} | 4 | {row} |" for place, row in enumerate(rows)]
    return "\n".join(["| Bits | Length | Field | Note |", "| - | - | - | - |", *lines, ""])


def test_codes_are_called_what_the_field_is_called_that_points_to_them() -> None:
    text = f"# Assignment\n\n{fields('Report Interval | See **Timing**', 'Quiet | minutes')}\n**Timing**\n{CODES}"

    assert found(text) == {"Timing": ("Report Interval",)}


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

    assert found(message + heading) == {"FLY_MODE": ("base mode",)}
    assert found(listed + heading) == {}


def test_a_table_that_rows_of_many_names_point_to_is_called_by_none() -> None:
    rows = [f"{name} | See **Timing**" for name in ("Report Interval", "Pause", "Wait", "Delay")]

    assert found(f"# A\n\n{fields(*rows[:3])}\n**Timing**\n{CODES}") == {"Timing": ("Report Interval", "Pause", "Wait")}
    assert found(f"# A\n\n{fields(*rows)}\n**Timing**\n{CODES}") == {}


def test_a_name_that_sends_to_many_tables_says_nothing_of_any() -> None:
    def parts(count: int) -> str:
        names = [f"Mode {letter}x" for letter in "ABCD"[:count]]
        rows = fields(*(f"Flags | See **{name}**" for name in names), "Lamp | -")
        return f"# A\n\n{rows}\n" + "".join(f"**{name}**\n{CODES}" for name in names)

    assert set(found(parts(3)).values()) == {("Flags",)}
    assert found(parts(4)) == {}


def test_a_name_that_the_table_says_itself_and_a_sentence_are_left_out() -> None:
    own = fields("Timing | See **Timing codes**", "Rest | -")
    long = fields("How long it waits before it reports | See **Timing**", "Rest | -")

    assert found(f"# A\n\n{own}\n**Timing codes**\n{CODES}") == {}
    assert found(f"# A\n\n{long}\n**Timing**\n{CODES}") == {}


def test_a_name_has_no_numbers_and_no_brackets_but_what_they_hold_where_there_is_nothing_else() -> None:
    rows = "Shape #1 (SH) | See **Forms**", "Shape #2 | See **Forms**", "3 (Turn) | See **Angles**"

    assert found(f"# A\n\n{fields(*rows)}\n**Forms**\n{CODES}**Angles**\n{CODES}") == {
        "Forms": ("Shape",),
        "Angles": ("Turn",),
    }
