from dataclasses import replace

from retrieval.answer.answers import Passage
from retrieval.answer.cells import Cell
from retrieval.answer.wording import READ, worded
from retrieval.types import Hit
from tests.chunks import EMPTY

PASSAGES = tuple(
    Passage(number, Hit(replace(EMPTY, id=f"c{number}", heading_path=(title,)), 1.0, number), "q")
    for number, title in ((1, "Axe"), (2, "Bow"))
)
CELLS = (Cell("c1", "Cost", "5 gp", 0, 0.6), Cell("c1", "Weight", "7", 1, 0.2), Cell("c2", "Cost", "9 gp", 0, 0.1))


def test_the_cells_of_a_row_stand_under_its_title() -> None:
    assert list(worded(CELLS[:2], PASSAGES)) == ["Axe - Cost: 5 gp; Weight: 7 [1]\n", READ]


def test_a_second_row_may_be_meant_or_is_compared() -> None:
    assert list(worded(CELLS, PASSAGES))[1] == "Or, if that is meant: Bow - Cost: 9 gp [2]\n"
    assert list(worded(CELLS, PASSAGES, compared=True))[1] == "Bow - Cost: 9 gp [2]\n"


def test_sentences_are_quoted() -> None:
    quoted = (Cell("c2", "", "Bows bend.", 0, 1.0), Cell("c2", "", "They break.", 1, 0.9))
    assert next(iter(worded(quoted, PASSAGES))) == "“Bows bend.” “They break.” [2]\n"
