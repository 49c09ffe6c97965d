"""The words of an answer that is read from cells and sentences."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.rag.answer_text import READ, answer_lines, compare_sides, nearest_place, with_origin, yes_or_no
from retrieval.rag.cells import Cell
from retrieval.rag.extractive_reader import Reading
from retrieval.rag.passages import Passage
from retrieval.rag.statements import Statement
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
    return list(answer_lines(question, reading))


def test_what_is_uncertain_names_what_the_passage_lacks() -> None:
    reading = Reading("perhaps", (stated(AXE, ("Cost", "5 gp"), missing=("limit", "steel", "old")),))
    line = words("limit of an old steel axe", reading)[0]
    assert line == "Arms - Axe - Cost: 5 gp [1] (the passage says nothing about “limit” and “steel”)"


def test_sentences_are_quoted_as_they_are_shown() -> None:
    sentences = (("", 'A **bow**<span id="b"/> [bends](bow.md).'), ("", "&lt;It&gt; breaks at `{force}`."))
    reading = Reading("stated", (stated(BOW, *sentences),))
    assert words("do bows bend", reading)[0] == "“A bow bends.” “<It> breaks at {force}.” [2]"


def test_a_comparison_says_which_side_is_more_and_which_fails() -> None:
    sides = (stated(AXE, ("Cost", "5 gp")), stated(BOW, ("Cost", "9 gp")))
    whole = words("which costs more, axe or bow", Reading("stated", sides, is_comparison=True))
    assert whole[2] == "More: Bow (9 gp against 5 gp)."
    half = words("which costs more, axe or bow", Reading("perhaps", sides[:1], ("cost of a bow",), is_comparison=True))
    assert half[1:] == ["No answer found for: cost of a bow"]


def test_the_cells_of_a_row_stand_under_its_title_after_yes_or_no() -> None:
    reading = Reading("stated", (stated(AXE, ("Cost", "5 gp"), ("Weight", "7")),))
    assert words("cost of an axe", reading) == ["Arms - Axe - Cost: 5 gp; Weight: 7 [1]"]
    reading = Reading("stated", (stated(AXE, ("Cost", "5 gp")), stated(BOW, ("Cost", "9 gp"))))
    assert words("cost", reading)[1] == "Or, if that is meant: Arms - Bow - Cost: 9 gp [2]"
    reading = Reading("stated", (stated(AXE, ("Sharp", "Yes")),))
    assert words("Is an axe sharp?", reading)[0] == "Yes. Arms - Axe - Sharp: Yes [1]"


def test_the_notes_of_a_row_follow_it_once() -> None:
    text = '{"title": "Axe", "Cost": "5 gp*", "notes": "* Not in winter."}'
    noted = replace(AXE, hit=replace(AXE.hit, chunk=replace(AXE.hit.chunk, text=text, cells=("5 gp*",))))
    statement = stated(noted, ("Cost", "5 gp*"))
    reading = Reading("stated", (statement, statement), is_comparison=True)
    assert words("cost of an axe", reading)[1:3] == ["Note: * Not in winter.", "Arms - Axe - Cost: 5 gp* [1]"]


def test_a_blank_cell_is_called_blank_and_the_end_of_a_long_one_is_left_out() -> None:
    line = words("audio", Reading("stated", (stated(AXE, ("Audio", ""), ("Data", "word " * 5000)),)))[0]
    assert line.startswith("Arms - Axe - Audio: (blank); Data: word word")
    assert line.endswith("word … [1]")
    assert len(line) < 1100


def test_the_nearest_place_has_its_number() -> None:
    assert nearest_place(BOW) == "The closest passage: Arms - Bow [2]"


def test_the_text_of_an_answer_says_whether_it_is_certain_and_where_it_is_from() -> None:
    assert "".join(with_origin(["Axe [1]", "Bow [2]"], is_stated=True)) == f"Axe [1]\nBow [2]\n{READ}"
    assert "".join(with_origin(["Axe [1]"], is_stated=False)) == f"Perhaps: Axe [1]\n{READ}"


def cell(column: str, text: str) -> Cell:
    return Cell("c", column, text, 0, 0.9)


@pytest.mark.parametrize(
    ("question", "column", "text", "wanted"),
    [
        ("Is the key required?", "Presence", "**Required**", "Yes"),
        ("Is the key required?", "Presence", "Optional", "No"),
        ("Is the key optional?", "Presence", "Required", "No"),
        ("Is the key optional?", "Required", "Yes", "No"),
        ("Must I set the key?", "Required", "no", "No"),
        ("Can I omit the key?", "Optional", "yes", "Yes"),
        ("Is the key mandatory?", "Optional", "yes", "No"),
        ("Does it support refunds?", "Required", "No", ""),
        ("Does it support refunds?", "Default", "false", ""),
        ("Are refunds supported?", "Support", "no", "No"),
        ("Does it support refunds?", "Refunds", "✓", "Yes"),
        ("What does it support?", "Refunds", "Yes", ""),
        ("Is it stable or experimental?", "Stable", "Yes", ""),
        ("Can I open 300 connections?", "Maximum connections", "255", "No: at most 255"),
        ("Can I open 200 connections?", "Maximum connections", "255", "Yes"),
        ("Is a fee of 3 enough?", "Minimum fee", "5", "No: at least 5"),
        ("Can I open 300 connections?", "Connections", "255", ""),
        ("Can a ship with a draught of 5 m use berth 2?", "Max. draught", "4 m", "No: at most 4 m"),
        ("Can a ship with a draught of 350 cm use berth 2?", "Max. draught", "4 m", "Yes"),
        ("Can a ship of 3 m by 20 m use berth 2?", "Max. draught", "4 m", ""),
    ],
)
def test_a_cell_decides_yes_or_no(question: str, column: str, text: str, wanted: str) -> None:
    assert yes_or_no(question, cell(column, text)) == wanted


def compared(question: str, first: str, second: str) -> str:
    return compare_sides(question, ["A", "B"], [cell("Cost", first), cell("Cost", second)])


def test_values_of_other_units_and_texts_are_not_compared() -> None:
    assert compared("which costs more", "2 kg", "15 m") == ""
    assert compared("which costs more", "2-4", "15") == ""
    assert compared("which costs more", "cheap", "15") == ""
    assert compared("who hits more easily", "8", "13") == ""


def test_the_difference_is_told_where_it_is_wanted_and_equal_values_are_the_same() -> None:
    assert compared("how much more does B cost", "2 gp", "15 gp") == "More: B (15 gp against 2 gp). Difference: 13 gp."
    assert compared("difference in cost", "1,000", "250") == "Difference: 750."
    assert compared("which costs more", "8", "8") == "Both are the same: 8."


def test_the_shorter_of_two_durations_is_faster() -> None:
    assert compared("which is faster", "45 min", "90 min") == "Less: A (45 min against 90 min)."
    assert compared("which is slower", "45 min", "2 h") == "More: B (2 h against 45 min)."
    assert compared("which is faster", "45 km/h", "90 km/h") == "More: B (90 km/h against 45 km/h)."


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_of_two_is_less_of_the_other(first: int, second: int) -> None:
    more, less = (compared(f"which costs {word}", str(first), str(second)) for word in ("more", "less"))
    if first == second:
        assert more == less
    else:
        assert more.startswith(f"More: {'A' if first > second else 'B'}")
        assert less.startswith(f"Less: {'B' if first > second else 'A'}")
