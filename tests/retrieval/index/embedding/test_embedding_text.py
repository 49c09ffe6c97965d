from dataclasses import replace

from retrieval.index.embedding.embedding_text import MAX_CHARACTERS, embedding_text
from retrieval.types import Chunk

ROW = Chunk(
    id="1", book="b", document="d.md", kind="row", text="{}", search_text="all of it", source="", lines=(1, 1),
    heading_path=("Combat", "Matrices"), caption="Clerics", row_key="6",
    columns=("Armor Class", "Level 1", "Level 2", "Note"),
    cells=("6", "14", "13", "as cleric"), names=("ac 6", "ac 7", "the sixth"), metadata={"row_label": "Holy orders"},
)  # fmt: skip


def test_a_row_is_what_it_is_called_and_about_and_its_other_numbers_are_left_out():
    assert (
        embedding_text(ROW) == "Matrices, Clerics, Holy orders. Armor Class 6, Note as cleric. the sixth, ac 6. Level"
    )


def test_prose_is_embedded_as_it_is():
    prose = Chunk(
        id="1", book="b", document="d.md", kind="prose", text="t", search_text="A\nwords", source="", lines=(1, 1),
        heading_path=("A",),
    )  # fmt: skip

    assert embedding_text(prose) == "A\nwords"


def test_a_cell_that_is_a_whole_book_is_cut():
    assert len(embedding_text(replace(ROW, cells=("6", "14", "13", "word " * 1_000_000)))) == MAX_CHARACTERS
