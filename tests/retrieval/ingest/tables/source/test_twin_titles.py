import pytest

from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.source.twin_titles import title_among_twins, touching_title
from retrieval.types import Book, Document

FIRMWARE = "| Firmware | Encoders |\n| - | - |\n| SV12 | 12 |"
PINS = "| Pin | Signal |\n| - | - |\n| 1 | A |"


def titles(*blocks):
    parsed = parse_blocks("\n\n".join(blocks))
    return [title_among_twins(parsed, index) for index, block in enumerate(parsed) if block.kind == "table"]


def test_a_line_that_tells_a_table_from_its_twin_is_its_title():
    lines = ("5I20 (3-port PCI), the old card", FIRMWARE, "4I68 (the newer one.)", FIRMWARE)

    assert titles("# Configurations", *lines) == [lines[0], lines[2]]
    assert titles(*lines, "7I43", PINS) == [lines[0], lines[2], ""]


@pytest.mark.parametrize(
    "above",
    [
        "The 4I68 came later.",
        "For the 4I68:",
        "4I68 Default\nConfigurations",
        "- 4I68",
        "5I20",
        "# 4I68",
        "(4I68)",
        "4I68 " + "and others " * 20,
        "12",
    ],
)
def test_no_other_line_is_a_title(above):
    assert titles("# Configurations", "5I20", FIRMWARE, above, FIRMWARE) == ["", ""]


def test_a_table_after_a_table_has_no_line_above_it():
    assert titles("5I20", FIRMWARE, "4I68", FIRMWARE, FIRMWARE + "\n| SV8 | 8 |")[2:] == [""]
    assert titles(FIRMWARE, "4I68", FIRMWARE) == ["", ""]


def test_the_title_is_said_with_every_row_and_is_no_prose():
    text = f"# Configurations\n\n5I20\n\n{FIRMWARE}\n\n4I68\n\n{FIRMWARE}\n"
    book = parse_book(Book("b", "B", (Document("b", "d.md", text),)))

    assert [table.title for table in book.tables] == ["5I20", "4I68"]


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("Firmware of the old cards\n", "Firmware of the old cards"),
        ("Firmware of the old cards\n\n", ""),
        ("These are the cards.\n", ""),
        ("A line above it\nFirmware\n", ""),
        ("one two three four five six seven eight nine ten eleven\n", ""),
        ("# Firmware\n", ""),
    ],
)
def test_a_short_line_that_touches_a_table_is_its_title(above, title):
    blocks = parse_blocks(above + FIRMWARE)

    assert touching_title(blocks, len(blocks) - 1) == title
    assert not title or parse_book(Book("b", "B", (Document("b", "d.md", above + FIRMWARE),))).tables[0].title == title
