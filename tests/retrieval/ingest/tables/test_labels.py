"""Lines above and below tables that name them."""

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.labels import label_of, labels_below
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

TIDES = "| Tide | Hour |\n| - | - |\n| Ebb | 4 |"
PIERS = "| Pier | Berths |\n| - | - |\n| East | 9 |"
KNOTS = "| Knot | Rope |\n| - | - |\n| Reef | 2 |"


def book_of(*blocks):
    return parse_book(Book("b", "B", (Document("b", "d.md", "\n\n".join(blocks)),)))


def captions(*blocks):
    return [table.caption for table in book_of(*blocks).tables]


def below(*blocks):
    parsed = parse_blocks("\n\n".join(blocks))
    tables = [index for index, block in enumerate(parsed) if block.kind == "table"]
    return [parsed[index].shown for index in sorted(labels_below(parsed, tables))]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Table: Tides of the bay", "Tides of the bay"),
        (": Tides of the bay.", "Tides of the bay"),
        (": Tides that come\n  twice a day {#tbl:tides}", "Tides that come twice a day"),
        ("Table 4. Tides of the bay", "Table 4. Tides of the bay"),
        ("**Table 4:** Tides of the bay", "Table 4: Tides of the bay"),
        ("**Table 4**: Tides of the bay*", "Table 4: Tides of the bay"),
        ("Table 4 - Tides of the bay", "Table 4 - Tides of the bay"),
        ("Table B-2 – Tides", "Table B-2 – Tides"),
        ("Tabelle 4: Gezeiten", "Tabelle 4: Gezeiten"),
        ("Таблица 4. Приливы", "Таблица 4. Приливы"),
        ("Table: Tides that are for sailors.", "Tides that are for sailors"),
        ("Table 4: What the Tide Has", "Table 4: What the Tide Has"),
    ],
)
def test_a_line_of_this_form_names_a_table(line, words):
    assert label_of(parse_blocks(line)[0]) == words


@pytest.mark.parametrize(
    "prose",
    [
        "Table 4 shows the tides of the bay.",
        "Table salt: two spoons.",
        "Table: Tides of the Bay is for sailors who stay near the coast.",
        "Table 4: High and Low Tides shows when to sail.",
        "Tables 4 and 5 are for the bay.",
        "Table 4. Tides.\nThey turn at noon.",
        "- Table 4. Tides",
        "# Table 4. Tides",
    ],
)
def test_prose_that_begins_so_names_none(prose):
    assert label_of(parse_blocks(prose)[0]) == ""


def test_the_last_line_of_a_section_tells_that_all_are_below():
    lines = ("Table 1. Tides", "Table 2. Piers", "Table 3. Knots")
    one, two, three = lines

    assert captions("# Bay", TIDES, one, PIERS, two, KNOTS, three) == list(lines)
    assert captions("# Bay", TIDES, ": Tides", PIERS, ": Piers") == ["Tides", "Piers"]
    assert captions("# Bay", TIDES, one, PIERS, "# Quay", KNOTS, three) == [one, None, three]


def test_the_first_line_of_a_section_tells_that_all_are_above():
    lines = ("Table 1. Tides", "Table 2. Piers", "Table 3. Knots")
    one, two, three = lines
    far = "It is so every year. " * 20

    assert captions("# Bay", one, TIDES, two, PIERS, three, KNOTS) == list(lines)
    assert captions("# Bay", ": Tides", TIDES, ": Piers", PIERS) == ["Tides", "Piers"]
    assert captions("# Bay", one, far, TIDES, two, far, PIERS, three, far, KNOTS) == list(lines)
    assert captions("# Bay", TIDES, two, PIERS, "# Quay", three, KNOTS) == [None, two, three]


def test_a_line_between_two_tables_alone_is_of_the_one_that_it_touches_and_of_the_lower_of_two():
    assert below(TIDES, "Table 1. Tides", PIERS) == []
    assert below(TIDES, "Table 1. Tides", "The piers are old.", PIERS) == ["Table 1. Tides"]
    assert below(TIDES, "The piers are old.", "Table 1. Piers", PIERS) == []
    assert below("Table 1. Tides", TIDES, "Table 2. Piers", "The piers are old.", PIERS) == []


def test_what_its_own_section_tells_comes_before_what_the_others_tell():
    quay = ("# Quay", KNOTS, "Table 3. Knots", "# Hold", KNOTS, "Table 4. Knots")

    assert below("# Bay", "Table 1. Tides", TIDES, "Table 2. Piers", PIERS, *quay) == [
        "Table 3. Knots",
        "Table 4. Knots",
    ]
    assert below("# Bay", TIDES, "Table 1. Tides", PIERS, *quay)[:1] == ["Table 1. Tides"]


def test_a_line_is_for_one_table():
    assert captions("# Bay", TIDES, "Table 1. Tides", PIERS, PIERS, "Table 2. Piers") == [
        "Table 1. Tides",
        None,
        "Table 2. Piers",
    ]
    lines = ("Table 1. Spring tides", "Table 2. Neap tides", "Table 3. Storm tides")
    assert captions("# Bay", TIDES, lines[0], TIDES, lines[1], TIDES, lines[2]) == list(lines)


def test_a_label_below_is_no_prose_and_heads_none():
    for label in ("Table 1. Tides", "**Table 1. Tides**", ": Tides"):
        book = book_of("# Bay", TIDES, label, "The bay is shallow.")
        chunks = chunk_book(book, transform_tables(book.tables, Vocabulary.default()))
        (prose,) = (chunk for chunk in chunks if chunk.kind == "prose")

        assert prose.source.endswith("The bay is shallow.")
        assert label not in prose.source


def test_a_table_with_a_label_below_keeps_its_notes_and_what_introduces_it():
    (table,) = book_of("# Bay", "The following table lists the tides.", TIDES, "Table 1. Tides").tables
    assert (table.title, table.about) == ("Table 1. Tides", "The following table lists the tides.")
    (table,) = book_of("# Bay", TIDES.replace("4", "4 [1]"), "Table: Tides", "[1] Later in winter.").tables
    assert (table.caption, table.rows[0].cells, table.rows[0].notes) == ("Tides", ("Ebb", "4"), ("Later in winter.",))
