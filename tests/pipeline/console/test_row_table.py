from rich.cells import cell_len

from pipeline.console.row_table import row_table

ARMOR = [("Opponent Armor Class", "6"), ("Level 1-3", "14"), ("Level 4-6", "12"), ("", "x"), ("Level 19+", "3")]


def lines(pairs: list[tuple[str, str]], width: int) -> list[str]:
    return [line.plain for line in row_table(pairs, width)]


def test_values_stand_under_their_heads_and_a_long_head_takes_two_lines() -> None:
    assert lines(ARMOR, 80) == [
        "Opponent",
        "Armor Class  Level 1-3  Level 4-6     Level 19+",
        "6            14         12         x  3",
    ]


def test_what_does_not_fit_goes_on_in_another_band() -> None:
    assert lines(ARMOR, 24) == [
        "Opponent",
        "Armor Class  Level 1-3",
        "6            14",
        "Level 4-6     Level 19+",
        "12         x  3",
    ]


def test_a_long_value_is_told_below_the_table_and_not_cut() -> None:
    rule = "roll under your score, or lose what you carry and fall into the water"
    shown = lines([("Name", "River"), ("Rule", rule), ("Depth", "2")], 40)
    assert shown[:2] == ["Name   Depth", "River  2"]
    assert " ".join(shown[2:]) == f"Rule: {rule}"
    assert all(cell_len(line) <= 40 for line in shown)


def test_wide_letters_are_counted_as_a_terminal_shows_them() -> None:
    assert lines([("本", "本本本"), ("Price", "3")], 40) == ["本      Price", "本本本  3"]


def test_a_row_without_cells_has_no_lines() -> None:
    assert lines([], 40) == []
