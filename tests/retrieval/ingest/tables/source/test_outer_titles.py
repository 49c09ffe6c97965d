"""Titles over the titles of twins."""

from retrieval.ingest.parsed_book import parse_book
from retrieval.types import Book, Document

TABLE = "| Code | Meaning |\n|---|---|\n| 1 | torn |\n"


def captions(text: str) -> list[str | None]:
    book = Book("ships", "Ships", (Document("ships", "sails.md", f"# Sails\n\n{text}"),))
    return [table.caption for table in parse_book(book).tables]


def test_tables_that_are_called_the_same_say_the_bold_line_above_too() -> None:
    one = f"**Hoist**\n\nUp it goes.\n\n**Faults**\n\n{TABLE}\n"
    other = f"**Lower**\n\nDown it comes.\n\n**Faults**\n\n{TABLE}\n"
    assert captions(one + other) == ["Hoist: Faults", "Lower: Faults"]


def test_the_title_of_a_table_between_is_passed_over_where_it_recurs() -> None:
    parts = [f"**{name}**\n\n**Needs**\n\n{TABLE}\n**Faults**\n\n{TABLE}\n" for name in ("Hoist", "Lower", "Reef")]
    assert captions("".join(parts))[-2:] == ["Reef: Needs", "Reef: Faults"]


def test_the_first_may_stand_right_below_the_heading() -> None:
    assert captions(f"**Faults**\n\n{TABLE}\n**Lower**\n\n**Faults**\n\n{TABLE}") == ["Faults", "Lower: Faults"]


def test_nothing_changes_where_no_line_tells_them_apart() -> None:
    alone = f"**Faults**\n\n{TABLE}\n"
    assert captions(alone + alone) == ["Faults", "Faults"]
    assert captions(f"**Lower**\n\nDown.\n\n{alone}Or else:\n\n{alone}") == ["Faults", "Faults"]
    assert captions(f"**Lower**\n\nDown.\n\n{alone}## Reefs\n\n{alone}") == ["Faults", "Faults"]
