from dataclasses import replace

from pipeline.lint.propositions import cells_outside_rows, empty_documents, repeated_ids, rows_outside_chunks
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.types import Book, Chunk, Document, Row

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


def test_rows_that_hold_every_cell_contradict_nothing() -> None:
    assert cells_outside_rows([TABLE], ROWS) == ()


def test_a_cell_that_is_in_no_row_is_named_with_its_line() -> None:
    broken = (ROWS[0], replace(ROWS[1], cells=("5", "15", "")))
    (sentence,) = cells_outside_rows([TABLE], broken)
    assert "01.md:4" in sentence
    assert "13" in sentence


def test_chunks_that_are_the_rows_contradict_nothing() -> None:
    assert rows_outside_chunks(ROWS, CHUNKS) == ()


def test_a_row_in_no_chunk_and_a_row_in_two_are_named() -> None:
    (lost,) = rows_outside_chunks(ROWS, CHUNKS[:1])
    assert "'5'" in lost
    assert "in no chunk" in lost
    (doubled,) = rows_outside_chunks(ROWS, (*CHUNKS, CHUNKS[0]))
    assert "'6'" in doubled
    assert "no row's" in doubled


def test_a_repeated_id_is_named_with_its_count() -> None:
    assert repeated_ids(CHUNKS) == ()
    assert repeated_ids((*CHUNKS, CHUNKS[1])) == ("chunk id c1 is used 2 times",)
