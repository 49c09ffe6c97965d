"""What is read of the passages of a question: cells of one row, of rows that may be meant, of sides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retrieval.rag.cells import MOST, Cell
from retrieval.rag.extractive_reader import is_contrast, names_both_tables, read
from retrieval.rag.passages import Context, Passage
from retrieval.rag.question_words import QuestionWords
from retrieval.rag.relevance import NAMES
from retrieval.rag.statements import Statement, choose, labelled_values
from retrieval.search.retriever import Retriever
from retrieval.settings import AnswerSettings
from tests.chunks import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import Snapshot
    from retrieval.types import Chunk


QUESTION = "what is the base value of a gem on a roll of 60"


@pytest.fixture(scope="module")
def retriever(sample: Home) -> Iterator[Retriever]:
    result = Retriever.open(sample.root)
    with result.snapshot:
        yield result


def read_rows(retriever: Retriever, *says: float) -> list[str]:
    """The chunks of the cells that are read of two rows that are alike, of which each says so much."""
    hit = next(hit for hit in retriever.retrieve(QUESTION, k=10).hits if hit.chunk.cells and hit.chunk.query_must)
    twins = (hit, replace(hit, chunk=replace(hit.chunk, id="twin")))
    passages = tuple(
        Passage(number, twin, QUESTION, tuple(output * (name == "alike") for name in NAMES))
        for number, (twin, output) in enumerate(zip(twins, says, strict=True), start=1)
    )
    context = Context(QUESTION, passages, (QUESTION,), "", retriever.snapshot, None)
    cells = read(context, AnswerSettings(min_probability=0.2, min_perhaps=0.2)).cells
    return list(dict.fromkeys(cell.chunk_id for cell in cells))


def test_two_rows_that_say_as_much_both_have_their_say_and_one_that_says_less_has_none(retriever: Retriever) -> None:
    assert len(read_rows(retriever, 0.8, 0.8)) == 2
    assert len(read_rows(retriever, 0.8, 0.7)) == 1


def read_chunk(question: str, chunk: Chunk, snapshot: Snapshot) -> tuple[Cell, ...]:
    choice = choose(QuestionWords.of(question, snapshot), chunk)
    return choice.cells(chunk.id, MOST) if choice else ()


def test_a_compound_asks_for_the_column_of_its_two_words(retriever: Retriever) -> None:
    row = next(hit.chunk for hit in retriever.retrieve(QUESTION, k=10).hits if "Base Value" in hit.chunk.columns)
    together = QUESTION.replace("base value", "basevalue")

    cells = [read_chunk(question, row, retriever.snapshot) for question in (together, QUESTION)]
    assert cells[0] == cells[1]
    assert cells[0][0].column == "Base Value"


def test_nothing_is_read_of_a_chunk_without_cells_and_without_text(retriever: Retriever) -> None:
    assert read_chunk("how heavy is it", EMPTY, retriever.snapshot) == ()


BLOCK = """### Marsh Ghoul

**AC** 12 **Initiative** +2
**HP** 22 (5d8)

- Speed: 30 ft.

It hates light. It fears fire!

[Table: MOD, SAVE]
"""


@pytest.mark.parametrize(
    "text",
    [
        "**Traps** can be found by whoever searches.",
        "Press **Next** Something and wait.",
        "The **pro** plan has 20 GB of storage.",
    ],
)
def test_bold_words_of_a_sentence_are_no_label(text: str) -> None:
    assert labelled_values(text) == ()


def test_labelled_values_are_read_in_their_order_over_bold_words_but_not_from_paragraphs() -> None:
    assert labelled_values(BLOCK) == (("AC", "12"), ("Initiative", "+2"), ("HP", "22 (5d8)"), ("Speed", "30 ft."))
    text = "- **Cutoff:** roughly **5 times** the highest frequency\n_**Str.** 5_"
    assert labelled_values(text) == (("Cutoff", "roughly 5 times the highest frequency"), ("Str", "5"))
    assert labelled_values("**Falling.** " + "A fall hurts those who fall. " * 10) == ()


def test_rows_that_a_question_joins_are_compared(retriever: Retriever) -> None:
    hit = next(hit for hit in retriever.retrieve(QUESTION, k=10).hits if hit.chunk.cells)
    first, second = (
        Statement(Passage(number, hit, QUESTION), (), 0.9, missing)
        for number, missing in ((1, ("bow",)), (2, ("axe",)))
    )
    assert is_contrast("cost of axe and bow", (first, second))
    assert is_contrast("axe vs bow", (first, second))
    assert not is_contrast("cost of an axe", (first, second))
    assert not is_contrast("cost of axe and bow", (first, replace(second, missing=("axe", "bow"))))
    assert not is_contrast("cost of axe and bow", (first,))
    elsewhere = replace(hit, chunk=replace(hit.chunk, table_id="another"))
    of_two_tables = first, replace(second, passage=replace(second.passage, hit=elsewhere))
    assert is_contrast("is the cost higher for the axe or for the bow", of_two_tables)
    assert is_contrast("is it the cost of the axe or of the bow", of_two_tables)
    chunk = replace(elsewhere.chunk, row_key="another")
    of_two_keys = first, replace(second, passage=replace(second.passage, hit=replace(hit, chunk=chunk)))
    assert not is_contrast("is it the cost of the axe or of the bow", of_two_keys)


def test_rows_of_twin_tables_that_a_question_names_both_are_compared(retriever: Retriever) -> None:
    hit = next(hit for hit in retriever.retrieve(QUESTION, k=10).hits if hit.chunk.cells)
    canals, rivers = (
        Statement(
            Passage(1, replace(hit, chunk=replace(hit.chunk, table_id=name, heading_path=("Fines", name))), QUESTION),
            (),
            0.9,
            (),
        )
        for name in ("Canals", "Rivers")
    )
    snapshot = retriever.snapshot
    assert names_both_tables("the fine on a canal and on a river", (canals, rivers), snapshot)
    assert not names_both_tables("the fine on a canal, on a river", (canals, rivers), snapshot)
    assert not names_both_tables("the fine on a canal and on a lake", (canals, rivers), snapshot)
    assert not names_both_tables("the fine on a canal and on a river", (canals, canals), snapshot)
    assert not names_both_tables("the fine on a canal and on a river", (canals,), snapshot)


def compare(retriever: Retriever, question: str, *rows: tuple[str, ...]) -> list[list[tuple[str, str]]]:
    """Columns and texts of the cells of each side of a comparison; a row with a fourth cell has a fourth column."""
    hit = next(hit for hit in retriever.retrieve(QUESTION, k=10).hits if hit.chunk.cells)
    parts = tuple(question.replace("KEYS", row[0]) for row in rows)
    passages = tuple(
        Passage(
            number,
            replace(hit, chunk=replace(EMPTY, id=row[0], kind="row", columns=COLUMNS[: len(row)], cells=row)),
            part,
            (0.9,) * len(NAMES),
        )
        for number, (row, part) in enumerate(zip(rows, parts, strict=True), start=1)
    )
    whole = question.replace("KEYS", " and ".join(row[0] for row in rows))
    reading = read(
        Context(whole, passages, parts, "", retriever.snapshot, None),
        AnswerSettings(min_probability=0.0, min_perhaps=0.0),
    )
    return [[(cell.column, cell.text) for cell in statement.cells] for statement in reading.statements]


COLUMNS = ("field", "type", "description", "unit")
PEAK = ("peak", "float", "the most power that is there at any time")
SURE = ("sure", "float", "the power that is there at all times")


def test_sides_are_read_in_one_column_in_which_they_differ(retriever: Retriever) -> None:
    sides = compare(retriever, "what is the difference between KEYS", PEAK, SURE)
    assert sides == [[("description", PEAK[2])], [("description", SURE[2])]]


def test_a_column_that_a_comparison_names_is_read_though_its_cells_are_equal(retriever: Retriever) -> None:
    assert compare(retriever, "type of KEYS", PEAK, SURE) == [[("type", "float")], [("type", "float")]]


def test_two_columns_that_a_comparison_names_are_both_read(retriever: Retriever) -> None:
    sides = compare(retriever, "type and description of KEYS", PEAK, SURE)
    assert {column for side in sides for column, _ in side} == {"type", "description"}
    assert [len(side) for side in sides] == [2, 2]


def test_which_is_more_is_read_in_a_column_of_numbers(retriever: Retriever) -> None:
    rows = (*PEAK, "20 W"), (*SURE, "3 W")
    assert compare(retriever, "which is larger, KEYS", *rows) == [[("unit", "20 W")], [("unit", "3 W")]]
    assert compare(retriever, "what description is longer, KEYS", *rows)[0][0][0] == "description"


def test_sides_of_tables_with_other_columns_are_each_read_alone(retriever: Retriever) -> None:
    (first,), (second,) = compare(retriever, "unit of KEYS", (*PEAK, "W"), SURE)
    assert first == ("unit", "W")
    assert second[0] != "unit"
