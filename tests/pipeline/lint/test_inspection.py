from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.lint.guarding import BECAUSE, Cause, by_cause, why_none_is_guarded
from pipeline.lint.inspection import cells_outside_rows, empty_documents, repeated_ids, rows_outside_chunks
from pipeline.runs.outcomes import Build
from retrieval.home import Home
from retrieval.ingest.guard_report import REASONS
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.types import Book, Chunk, Document, Row


def test_one_cause_in_many_places_is_told_once() -> None:
    warnings = [
        ("a", "some documents have no last_update_date: 1970-01-01 is used"),
        ("a", "01.md: byte 17 is not UTF-8; read as Latin-1 (Windows-1252)"),
        ("b", "some documents have no last_update_date: 1970-01-01 is used"),
        ("b", "deep/02.md: byte 9 is not UTF-8; read as Latin-1 (Windows-1252)"),
        ("b", "03.md: empty"),
    ]
    assert by_cause(warnings) == (
        Cause("byte … is not UTF-8; read as Latin-1 (Windows-1252)", ("a/01.md", "b/deep/02.md")),
        Cause("some documents have no last_update_date: 1970-01-01 is used", ("a", "b")),
        Cause("empty", ("b/03.md",)),
    )


def test_every_reason_has_words() -> None:
    assert set(BECAUSE) == set(REASONS)


def test_the_asset_reports_the_same_counts(sample_build: tuple[Home, Build]) -> None:
    numbers = sample_build[1].books["lantern-and-blade"].numbers["predicates"]
    reported = {name: numbers[name] for name in numbers if name.endswith("_tables")}
    assert reported == {
        "n_tables": 122,
        "n_guarded_tables": 69,
        "n_guardable_tables": 69,
        "n_open_tables": 0,
        "n_record_tables": 53,
        "n_single_tables": 0,
        "n_nameless_tables": 0,
    }


@pytest.mark.parametrize(
    ("n_tables", "begins"),
    [(0, "There are no tables"), (1, "The one table is not"), (1184, "None of the 1,184 tables")],
)
def test_what_no_guarded_row_means_depends_on_the_tables(n_tables: int, begins: str) -> None:
    assert why_none_is_guarded(n_tables).startswith(begins)


def test_the_sentence_and_the_page_that_it_names_agree() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "query_must.md").read_text("utf-8")
    assert "docs/reference/query_must.md" in why_none_is_guarded(2)
    assert "at least two of its rows have a name" in page
    assert "at least two of them" in why_none_is_guarded(2)


TABLE = Table(
    id="t1",
    book="rules",
    document="01.md",
    heading_path=("Combat",),
    caption=None,
    header=("Armor Class", "1-2", "3-4"),
    rows=(TableRow(("6", "14", "12"), 3, "| 6 | 14 | 12 |"), TableRow(("5", "15", "13"), 4, "| 5 | 15 | 13 |")),
    lines=(1, 4),
)


def row(ordinal: int) -> Row:
    cells = TABLE.rows[ordinal].cells
    return Row("t1", ordinal, cells[0], "{}", columns=TABLE.header, cells=cells, lines=(3 + ordinal, 3 + ordinal))


ROWS = (row(0), row(1))


def chunk(of: Row) -> Chunk:
    return Chunk(
        id=f"c{of.ordinal}",
        book="rules",
        document="01.md",
        kind="row",
        text="{}",
        search_text="x",
        source="x",
        lines=of.lines,
        heading_path=("Combat",),
        row_key=of.key,
        columns=of.columns,
        cells=of.cells,
        table_id=of.table_id,
    )


CHUNKS = (chunk(ROWS[0]), chunk(ROWS[1]))


def test_an_empty_document_is_named() -> None:
    book = Book("rules", "Rules", (Document("rules", "a.md", "text"), Document("rules", "b.md", " \n")))
    assert empty_documents(book) == ("b.md",)


def test_a_cell_that_is_in_no_row_is_named_with_its_line() -> None:
    broken = (ROWS[0], replace(ROWS[1], cells=("5", "15", "")))
    (sentence,) = cells_outside_rows([TABLE], broken)
    assert "01.md:4" in sentence
    assert "13" in sentence


def test_what_holds_every_cell_and_row_contradicts_nothing() -> None:
    assert cells_outside_rows([TABLE], ROWS) == ()
    assert rows_outside_chunks(ROWS, CHUNKS) == ()


def test_a_row_in_no_chunk_and_a_row_in_two_are_named() -> None:
    (lost,) = rows_outside_chunks(ROWS, CHUNKS[:1])
    assert "'5'" in lost
    assert "in no chunk" in lost
    (doubled,) = rows_outside_chunks(ROWS, (*CHUNKS, CHUNKS[0]))
    assert "'6'" in doubled
    assert "matches no row" in doubled


def test_a_repeated_id_is_named_with_its_count() -> None:
    assert repeated_ids(CHUNKS) == ()
    assert repeated_ids((*CHUNKS, CHUNKS[1])) == ("chunk id c1 is used 2 times",)
