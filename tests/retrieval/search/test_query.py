"""How much of a question is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retrieval import Answerer
from retrieval.language.numbers import quantities
from retrieval.search.query import MAX_NUMBERS, MAX_WORDS, shortened

if TYPE_CHECKING:
    from retrieval.home import Home
    from retrieval.search.retriever import Retriever


@pytest.mark.parametrize(
    "whole",
    ["What does a 7th level cleric need to roll to hit AC 6?", "word " * MAX_WORDS, "½" * MAX_NUMBERS, "?!" * 9],
)
def test_a_question_that_people_write_is_read_whole(whole: str) -> None:
    assert shortened(whole) == whole


@pytest.mark.parametrize("number", ["½", "½ ", "12, ", "AC 6 ", "1."])
def test_numbers_over_the_bound_are_not_read(number: str) -> None:
    read = shortened(f"to hit {number * 300}")
    assert read == f"{f'to hit {number * 300}'[: len(read) - 2]} …"
    assert read.count(number.strip(" ,.").removeprefix("AC ")) == MAX_NUMBERS


def test_words_over_the_bound_are_not_read() -> None:
    assert shortened("a " * 900) == "a " * MAX_WORDS + "…"


def test_what_is_not_read_of_a_question_is_told(retriever: Retriever, tiny_built: Home) -> None:
    long = "What does a mace cost? " + "½" * 1900
    receipt = retriever.retrieve(long).receipt
    assert receipt.read_as == shortened(long)
    assert len(quantities(receipt.read_as)) <= MAX_NUMBERS
    answer = Answerer(tiny_built.root, how="read").answered(long)
    assert answer.read_as == answer.query == shortened(long)
