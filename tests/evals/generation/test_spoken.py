import pytest

from evals.generation.spoken import column_forms, column_name, initials, place_name, plain, unbracketed, words_of


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("**Table: Radiation Effects**", "Radiation Effects"),
        ("Table 3-1: Doors", "Doors"),
        ("Chapter 12: Worlds", "Worlds"),
        ("HIGH_LATENCY (234) — [SUP]", "HIGH_LATENCY (234)"),
        ("INQUISITOR [PSIONIC]", "INQUISITOR"),
        ("Table of Contents", "Table of Contents"),
        ("Turning Undead Table", "Turning Undead Table"),
        ("Table 3", "Table 3"),
        ("[TAG]", "[TAG]"),
        ("Class A Demon (Vrock)", "Class A Demon (Vrock)"),
    ],
)
def test_a_place_is_called_without_what_only_print_needs(written, said):
    assert place_name(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("aux1 ++", "aux1"),
        ("`uint8_t`", "uint8_t"),
        ("_Fog Cloud_ *", "Fog Cloud"),
        ("Armour  Class:", "Armour Class"),
        ("target_system", "target_system"),
        ("+4", "+4"),
        ("+", "+"),
    ],
)
def test_a_cell_is_plain(written, said):
    assert plain(written) == said


def test_decoration_of_a_column_is_not_said():
    assert column_name("——Spell Slots per Spell Level—— 8") == "spell slots per spell level 8"


def test_a_unit_in_brackets_is_left_out_first_and_kept_last():
    assert column_forms("weight (lbs)") == ("weight", "wt", "weight (lbs)")
    assert column_forms("cost") == ("cost",)
    assert unbracketed("Emblem (on a shield)") == "Emblem"
    assert unbracketed("(gp)") == ""


@pytest.mark.parametrize(
    ("name", "letters"),
    [("base attack bonus", "BAB"), ("cost", None), ("type of save", None), ("XP value", None), ("fuel/wk tons", None)],
)
def test_initials_are_of_a_few_plain_words(name, letters):
    assert initials(name) == letters


def test_words_of_identifiers_are_parted():
    assert words_of(["MAV_CMD do", "7th"]) == {"mav", "cmd", "do", "7th"}
