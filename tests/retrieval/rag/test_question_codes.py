"""Codes of questions, and whether anything says them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.rag.question_codes import codes_of, nowhere
from retrieval.types import Chunk

PROSE = Chunk("a", "b", "d", "prose", "", "", "", (1, 1), ())
CODES = [
    ("torque of the M54-60", ("M54-60",)),
    ("a BTR-80, or two BTR-80", ("BTR-80",)),
    ("pins of the 7I92 (or SV8_4)", ("7I92", "SV8_4")),
    ("mx64 at 2Mbps, 12V and 3.5A", ("mx64",)),
    ("12th level, 7th-lvl, 3-phase, 20-sided, 2d6, d20, 8x8, P7, 24", ()),
    ("an M12x1.5 bolt for the under-21s", ()),
    ("no code at all", ()),
]


@pytest.mark.parametrize(("question", "codes"), CODES, ids=range(len(CODES)))
def test_codes_are_no_amounts_ranks_or_dice(question: str, codes: tuple[str, ...]) -> None:
    assert codes_of(question) == codes


WRITTEN = [
    ("torque of the M54-60", "M54-60-S250-R", 0.0),
    ("torque of the M54-80", "M54-60-S250-R, 80 W", 1.0),
    ("mx64 limits", "MX-64T/R", 0.0),
    ("price of a BTR-7", "BTR-70", 1.0),
    ("price of a BTR-7", "the btr 7 carries", 0.0),
    ("AC16 to hit", "to hit AC 16", 0.0),
    ("K22-1 or K22-9", "the K22-1 alone", 0.5),
    ("what does it cost", "nothing", 0.0),
]


@pytest.mark.parametrize(("question", "text", "share"), WRITTEN, ids=range(len(WRITTEN)))
def test_a_code_is_written_however_its_parts_are_joined(question: str, text: str, share: float) -> None:
    assert nowhere(question, [PROSE, replace(PROSE, search_text=text)]) == share


def test_the_book_its_documents_and_other_names_of_a_row_say_a_code_too() -> None:
    for chunk in (replace(PROSE, book="ext4"), replace(PROSE, document="ext4"), replace(PROSE, searched_as=("Ext 4",))):
        assert nowhere("largest file of ext4", [chunk]) == 0.0
    assert nowhere("largest file of ext4", []) == 1.0


@given(st.lists(st.text("Mk0179-_/ .", max_size=12), max_size=4).map(" ".join))
def test_a_question_finds_its_own_codes(question: str) -> None:
    assert nowhere(question, [replace(PROSE, search_text=question)]) == 0.0
