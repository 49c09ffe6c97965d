"""Which cells point to a table."""

import pytest

from retrieval.ingest.tables.pointers.cells import called, numbered, pointer_in


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ('See "Station Intervals"', "station interval"),
        ('(Part B) See "Ship Types"', "ship type"),
        ('0-5 (see "Subarea Types")', "subarea type"),
        ('See "Signal Status" below', "signal status"),
        ("see Table 7", "table 7"),
        ("Stairs (see Table 13: Stairs)", "table 13"),
        ("refer to Table 3-2.", "table 3-2"),
        ("cf. Load Codes", "load code"),
        ("PARAM1, see MAV_CMD enum", "mav_cmd"),
        ("General function (see table Modal Groups)", "modal group"),
        ('"Station Intervals"', "station interval"),
        ("MAV_AUTOPILOT", "mav_autopilot"),
        ("StationType", "stationtype"),
    ],
)
def test_a_cell_that_says_little_else_points_to_what_it_names(cell: str, name: str) -> None:
    pointer = pointer_in(cell)

    assert pointer is not None
    assert name in pointer.names


@pytest.mark.parametrize(
    "cell",
    [
        "Damage",
        "See below",
        "see entry",
        "DC",
        "2d6+1",
        "See Message Type 4",
        'See "Load Codes" and "Ship Types"',
        "Distance at which the target is given up, see Table 7",
        "",
    ],
)
def test_a_cell_without_a_pointer_or_with_more_than_one_points_to_nothing(cell: str) -> None:
    assert pointer_in(cell) is None


def test_only_an_identifier_points_without_a_word() -> None:
    code, said = pointer_in("LOAD_CODE"), pointer_in("see LOAD_CODE")

    assert [code and code.is_code, said and said.is_code] == [True, False]


def test_titles_are_compared_without_case_marks_and_plural() -> None:
    assert called("**Station Types**") == called("Station type") == "station type"
    assert called("Gas") == "gas"


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("Table 13: Stairs", ("table 13", "Stairs")),
        ("Table 3-2. Loads", ("table 3-2", "Loads")),
        ("Table IV – Omens", ("table iv", "Omens")),
        ("Tableware 3", None),
        ("Stairs", None),
    ],
)
def test_a_numbered_title_is_a_number_and_a_title(title: str, parts: tuple[str, str] | None) -> None:
    assert numbered(title) == parts
