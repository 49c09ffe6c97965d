"""The words of an answer that is read from cells and sentences."""

from dataclasses import replace

from retrieval.rag.cell_reading import Reading
from retrieval.rag.cells import Cell
from retrieval.rag.context import Passage
from retrieval.rag.statements import Statement
from retrieval.rag.wording import READ, nearest, worded
from retrieval.types import Chunk, Hit
from tests.chunks import EMPTY

AXE, BOW = (
    Passage(number, Hit(replace(EMPTY, id=title, heading_path=("Arms",), row_key=title), 1.0, number), "q")
    for number, title in ((1, "Axe"), (2, "Bow"))
)


def stated(passage: Passage, *cells: tuple[str, str], missing: tuple[str, ...] = ()) -> Statement:
    chunk: Chunk = passage.hit.chunk
    read = tuple(Cell(chunk.id, column, text, place, 0.9) for place, (column, text) in enumerate(cells))
    return Statement(passage, read, 0.9, missing)


def words(question: str, reading: Reading) -> list[str]:
    return list(worded(question, reading))


def test_the_cells_of_a_row_stand_under_its_title() -> None:
    reading = Reading("stated", (stated(AXE, ("Cost", "5 gp"), ("Weight", "7")),))
    assert words("cost of an axe", reading) == ["Arms - Axe - Cost: 5 gp; Weight: 7 [1]\n", READ]


def test_a_second_row_may_be_meant() -> None:
    reading = Reading("stated", (stated(AXE, ("Cost", "5 gp")), stated(BOW, ("Cost", "9 gp"))))
    assert words("cost", reading)[1] == "Or, if that is meant: Arms - Bow - Cost: 9 gp [2]\n"


def test_what_is_uncertain_names_what_the_passage_lacks() -> None:
    reading = Reading("perhaps", (stated(AXE, ("Cost", "5 gp"), missing=("limit", "steel", "old")),))
    line = words("limit of an old steel axe", reading)[0]
    assert line == "Perhaps: Arms - Axe - Cost: 5 gp [1] (the passage says nothing of “limit” and “steel”)\n"


def test_sentences_are_quoted_as_they_are_shown() -> None:
    sentences = (("", 'A **bow**<span id="b"/> [bends](bow.md).'), ("", "&lt;It&gt; breaks at `{force}`."))
    reading = Reading("stated", (stated(BOW, *sentences),))
    assert words("do bows bend", reading)[0] == "“A bow bends.” “<It> breaks at {force}.” [2]\n"


def test_a_comparison_says_which_side_is_more_and_which_fails() -> None:
    sides = (stated(AXE, ("Cost", "5 gp")), stated(BOW, ("Cost", "9 gp")))
    whole = words("which costs more, axe or bow", Reading("stated", sides, is_comparison=True))
    assert whole[2] == "More: Bow (9 gp against 5 gp).\n"
    half = words("which costs more, axe or bow", Reading("perhaps", sides[:1], ("cost of a bow",), is_comparison=True))
    assert half[1:] == ["No answer found for: cost of a bow\n", READ]


def test_yes_or_no_comes_before_the_cell() -> None:
    reading = Reading("stated", (stated(AXE, ("Sharp", "Yes")),))
    assert words("Is an axe sharp?", reading)[0] == "Yes. Arms - Axe - Sharp: Yes [1]\n"


def test_the_nearest_place_has_its_number() -> None:
    assert nearest(BOW) == "No answer found in these books. The nearest place: Arms - Bow [2]"
