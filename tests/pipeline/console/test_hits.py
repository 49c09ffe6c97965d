from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pipeline.console.hits import brief, cells, long_title, row_table, whole
from retrieval.types import Chunk

ROW = Chunk(
    id="one",
    book="tools",
    document="tools.md",
    kind="row",
    text="{}",
    search_text="",
    source="| 2.5k | mistune | | \\_x |",
    lines=(3, 3),
    heading_path=("Tools", "Parsers"),
    caption="By age",
    row_key="mistune",
    columns=("Stars", "Name", "Note", "Mark"),
    cells=("2.5k", "mistune", "", "_x"),
)
PROSE = replace(ROW, kind="prose", cells=(), columns=(), row_key=None, caption=None)


def lines(chunk: Chunk, width: int | None) -> list[str]:
    return [line.plain for line in brief(chunk, width)]


def test_the_title_goes_from_the_book_to_the_caption() -> None:
    assert long_title(ROW) == "tools > Tools > Parsers > By age"
    assert long_title(replace(ROW, caption="Parsers")) == "tools > Tools > Parsers"


def test_the_cells_of_a_row_are_shown_with_its_key_first() -> None:
    assert lines(ROW, None) == ["Name: mistune | Stars: 2.5k | Mark: _x"]
    assert cells(replace(ROW, row_key="other"))[0] == ("", "other")
    assert cells(replace(ROW, row_key="Parsers")) == tuple(zip(ROW.columns, ROW.cells, strict=True))
    assert lines(replace(ROW, cells=(*ROW.cells, "more")), None)[0].endswith(" | more")


WORDS = st.text(st.sampled_from("ab c本9-"), max_size=60).map(str.strip)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20), st.integers(12, 120))
def test_a_terminal_gets_every_cell_on_lines_of_its_width(table: list[tuple[str, str]], width: int) -> None:
    columns, values = zip(*table, strict=True)
    row = replace(ROW, columns=columns, cells=values, row_key=None)
    shown = lines(row, width)
    assert all(cell_len(line) <= width for line in shown)
    together = "".join("".join(shown).split())
    for value in values:
        assert "".join(value.split()) in together


def test_twenty_columns_take_few_lines() -> None:
    wide = replace(ROW, columns=tuple(f"Level {n}" for n in range(20)), cells=tuple(map(str, range(20))), row_key="0")
    assert len(lines(wide, 75)) <= 6


def test_a_passage_shows_its_first_lines_and_ends_at_a_word() -> None:
    text = "# Tools\n\n## Parsers\n\n" + "A [parser](https://e.org) reads *marked* text\\. ![badge](b.svg) " * 20
    shown = lines(replace(PROSE, text=text), 40)
    assert shown[0] == "A parser reads marked text. badge A"
    assert len(shown) == 3
    assert shown[-1].endswith(" …")
    assert all(word in {"A", "parser", "reads", "marked", "text.", "badge", "…"} for word in " ".join(shown).split())
    (piped,) = lines(replace(PROSE, text=text), None)
    assert piped.endswith(" …")
    assert lines(replace(PROSE, text="## Parsers\n\nShort."), 40) == ["Short."]
    assert lines(replace(PROSE, text="## Parsers"), 40) == ["Parsers"]


@pytest.mark.parametrize("width", [None, 60])
def test_control_characters_of_a_book_do_not_reach_the_terminal(width: int | None) -> None:
    bad = "a\x1b[31mb\x07c"
    for chunk in (
        replace(ROW, columns=(bad,), cells=(bad,), row_key=bad, heading_path=(bad,), source=bad, metadata={"k": bad}),
        replace(PROSE, text=bad, source=bad),
    ):
        shown = long_title(chunk) + "".join(line.plain for way in (brief, whole) for line in way(chunk, width))
        assert all(letter.isprintable() for letter in shown)


def test_whole_shows_what_brief_cuts() -> None:
    text = " ".join(f"word{number}" for number in range(500))
    passage = replace(PROSE, text=text, source=text + "\n\nlast", names=("Parsers",), metadata={"tags": ("a", "b")})
    shown = [line.plain for line in whole(passage, None)]
    assert shown[0] == text
    assert "  last" in shown
    assert 'names: ["Parsers"]' in shown
    assert 'tags: ["a", "b"]' in shown
    assert "Note:" in [line.plain for line in whole(ROW, None)]


ARMOR = [("Opponent Armor Class", "6"), ("Level 1-3", "14"), ("Level 4-6", "12"), ("", "x"), ("Level 19+", "3")]


def row_table_lines(pairs: list[tuple[str, str]], width: int) -> list[str]:
    return [line.plain for line in row_table(pairs, width)]


def test_a_long_value_is_told_below_the_table_and_not_cut() -> None:
    rule = "roll under your score, or lose what you carry and fall into the water"
    shown = row_table_lines([("Name", "River"), ("Rule", rule), ("Depth", "2")], 40)
    assert shown[:2] == ["Name   Depth", "River  2"]
    assert " ".join(shown[2:]) == f"Rule: {rule}"
    assert all(cell_len(line) <= 40 for line in shown)


def test_values_stand_under_their_heads_in_bands_that_fit() -> None:
    assert row_table_lines(ARMOR, 80) == [
        "Opponent",
        "Armor Class  Level 1-3  Level 4-6     Level 19+",
        "6            14         12         x  3",
    ]
    assert row_table_lines(ARMOR, 24) == [
        "Opponent",
        "Armor Class  Level 1-3",
        "6            14",
        "Level 4-6     Level 19+",
        "12         x  3",
    ]
    assert row_table_lines([("本", "本本本"), ("Price", "3")], 40) == ["本      Price", "本本本  3"]
    assert row_table_lines([], 40) == []
