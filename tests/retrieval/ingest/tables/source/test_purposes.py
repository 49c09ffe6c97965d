import pytest

from retrieval.ingest.parsed_book import parse_book
from retrieval.types import Book, Document

TABLE = "| a | b |\n| - | - |\n| 1 | 2 |\n"


def tables_of(text):
    return parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables


def under(*blocks):
    """The only table, below these blocks."""
    (table,) = tables_of("\n\n".join((*blocks, TABLE)))
    return table


@pytest.mark.parametrize(
    "above",
    [
        "A fuse burns at its rating. Roll on the following table when it burns.",
        "Roll on the following table when it burns:",
        "Roll on the following table when it burns. " + "It smells of rubber. " * 20,
        "Fuses are old. Roll on the following table when it burns.\n\n**Ratings**",
    ],
)
def test_the_purpose_is_the_sentence_above_that_names_the_table(above):
    assert under("# Fuses", above).purpose.rstrip(".") == "Roll on the following table when it burns"


def test_the_purpose_is_the_first_sentence_of_a_paragraph_alone_between_heading_and_table():
    long = "Crosses the windy bay every hour. " + "It is slow. " * 30

    assert under("# Ferry", long).purpose == "Crosses the windy bay every hour."
    assert under("# Ferry", long, "**Times**").purpose == "Crosses the windy bay every hour."
    assert under("# Ferry", long, "It rests in winter.").purpose == ""


@pytest.mark.parametrize(
    "above",
    [
        "A table is included below.",
        "These features are listed in the Ferry table.",
        "(Attacking a ferry is covered below.)",
        "Nobody may board a moving ferry (but see below).",
        "Ferries " + "and the people who wait for them " * 5 + "are in the following table.",
    ],
)
def test_a_sentence_that_says_nothing_more_or_too_much_is_no_purpose(above):
    assert under("# Ferry", above).purpose == ""


def test_the_purpose_is_still_one_sentence_of_it():
    above = "Mix a paint for hulls. Its full recipe in cups is below."
    first, _ = tables_of(f"# A\n\n{above}\n\n{TABLE}\nOther words.\n\n{TABLE}")

    assert (first.caption, first.purpose) == (above, "Its full recipe in cups is below.")
