"""Notes below a table, and the marks in its cells that point to them."""

import json

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.notes import marked
from retrieval.ingest.tables.rows import check_fidelity, transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document


def chunks_of(text):
    book = parse_book(Book("b", "B", (Document("b", "d.md", text),)))
    rows = transform_tables(book.tables, Vocabulary.default())
    assert check_fidelity(book.tables, rows) == ()
    return chunk_book(book, rows)


def rows_of(text):
    return [chunk for chunk in chunks_of(text) if chunk.kind != "prose"]


def table(*cells):
    return "# Metals\n\n| Metal | Price |\n| --- | --- |\n" + "".join(f"| {cell} |\n" for cell in cells)


@pytest.mark.parametrize(
    ("cell", "note"),
    [
        ("Tin[1] | 5", "[1] Only in spring."),
        ("Tin \\[1\\] | 5", "\\[1\\] Only in spring."),
        ("Tin | 5<sup>1</sup>", "1. Only in spring."),
        ("Tin | 5<sup>a</sup>", "<sup>a</sup> Only in spring."),
        ("Tin | 5¹", "¹ Only in spring."),
        ("Tin* | 5", "* Only in spring."),
        ("Tin\\* | 5", "\\* Only in spring."),
        ("**Tin**† | 5", "**Notes:**\n\n_† Only in spring._"),
        ("Tin[^t] | 5", "Words.\n\n# Other\n\n[^t]: Only in spring."),
    ],
)
def test_a_row_has_the_words_of_the_note_that_its_mark_points_to(cell, note):
    tin, iron = rows_of(f"{table(cell, 'Iron | 2')}\n{note}\n")

    assert json.loads(tin.text)["notes"] == "Only in spring."
    assert tin.search_text.endswith("\nOnly in spring.")
    assert "notes" not in json.loads(iron.text)
    assert "spring" not in iron.search_text


def test_a_raised_or_bracketed_mark_is_no_part_of_a_cell_and_a_star_is():
    tin, iron = rows_of(f"{table('Tin[1] | 5<sup>2</sup>', 'Iron* | 2')}\n[1] In spring.\n[2] In\ntowns.\n")

    assert (tin.cells, json.loads(tin.text)["Price"]) == (("Tin", "5"), 5)
    assert json.loads(tin.text)["notes"] == ["In spring.", "In towns."]
    assert (tin.source, iron.cells) == ("| Tin[1] | 5<sup>2</sup> |", ("Iron*", "2"))


@pytest.mark.parametrize(
    ("cell", "below"),
    [
        ("Bits [1]", "Words between.\n\n[1] A note."),
        ("Bits [1]", "1.5 miles away."),
        ("Ten<sup>3</sup>", "1. A note."),
        ("Tin*", "* one\n* two"),
        ("**Tin**", "* A note."),
        ("[1](page)", "[1] A note."),
    ],
)
def test_a_mark_without_its_note_stays_a_part_of_the_cell(cell, below):
    (row,) = rows_of(f"{table(f'{cell} | 5')}\n{below}\n")

    assert "notes" not in json.loads(row.text)
    assert marked(cell, {}) == (cell, ())


def test_notes_in_the_last_rows_and_of_the_lines_of_a_record_belong_to_what_is_above():
    tin, *_, note = rows_of(table("Tin[1] | 5", "Iron | 2", "[1] Only in spring. | "))
    assert json.loads(tin.text)["notes"] == "Only in spring."
    assert note.row_key == "[1] Only in spring."
    (prose,) = (chunk for chunk in chunks_of(f"{table('Tin[1] | 5')}\n[1] Only in spring.\n") if chunk.kind == "prose")
    assert prose.source == "[1] Only in spring."
    (record,) = rows_of(
        "# Pump\n\n| Head: | 5 m |\n| - | - |\n| Flow: | 2[1] |\n| Noise: | 3[2] |\n\n[1] Warm.\n[2] Idle.\n"
    )
    assert json.loads(record.text)["notes"] == ["Warm.", "Idle."]


def test_a_raised_mark_in_an_html_table_is_no_digit_of_a_number():
    html = "<table>\n<tr><th>Metal</th><th>Price</th></tr>\n<tr><td>Tin</td><td>25<sup>1</sup></td></tr>\n</table>"
    (noted,) = rows_of(f"{html}\n\n<sup>1</sup> Only in spring.\n")
    (bare,) = rows_of(f"{html}\n")

    assert (noted.cells, json.loads(noted.text)["notes"]) == (("Tin", "25"), "Only in spring.")
    assert bare.cells == ("Tin", "25 1")
