from dataclasses import replace

from retrieval.answer.answers import Passage
from retrieval.answer.citations import cited, doubts
from retrieval.types import Hit
from tests.chunks import EMPTY

PASSAGES = tuple(
    Passage(number, Hit(replace(EMPTY, id=f"c{number}", text=text, lines=(number, number)), 1.0, number), "q")
    for number, text in ((1, "An axe costs 1,200 gp."), (2, "A bow costs 30 gp."))
)


def test_citations_are_the_passages_that_numbers_point_to() -> None:
    assert [each.chunk_id for each in cited("An axe [1], a bow [2, 1].", PASSAGES)] == ["c1", "c2"]
    assert [each.chunk_id for each in cited("A bow [2].", PASSAGES)] == ["c2"]
    assert cited("Nothing [7].", PASSAGES) == ()


def test_numbers_that_stand_nowhere_are_doubts() -> None:
    assert doubts("1200 gp [1] and 30 gp [2].", "what do they cost?", PASSAGES) == ()
    assert doubts("Together 1,230 gp [1, 2].", "what do they cost?", PASSAGES) == ("1230",)
    assert doubts("5 axes", "what do 5 axes cost?", PASSAGES) == ()


def test_a_citation_of_no_passage_is_a_doubt() -> None:
    assert doubts("An axe [3].", "an axe?", PASSAGES) == ("[3]",)
