from dataclasses import replace

import numpy as np
import pytest

from retrieval.language.terms import tokens
from retrieval.rag.cells import (
    MOST,
    NAMES,
    Cell,
    CellChoice,
    answer_kind,
    column_features,
    is_short,
    probabilities,
    row_of,
    shipped_weights,
)
from retrieval.types import Chunk
from tests.chunks import EMPTY

SHIPS, ALBATROSS = ("Ship", "Home port", "Year"), ("Albatross", "Genoa", "1871")
SEVENTH = ("7-8", "10", "11", "12", "13", "14", "15")
LEVELS = ("Level", "AC 10", "AC 9", "AC 8", "AC 7", "AC 6", "AC 5")


def read_cells(question: str, chunk: Chunk) -> tuple[Cell, ...]:
    return CellChoice.of(question, row_of(chunk), tokens).cells(chunk.id)


def row(columns: tuple[str, ...], cells: tuple[str, ...], key: str | None = None, **fields: object) -> Chunk:
    return replace(
        EMPTY,
        id="r",
        kind="row",
        columns=columns,
        cells=cells,
        row_key=key or cells[0],
        **fields,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("question", "columns", "cells", "wanted"),
    [
        ("how heavy is a glaive", ("Weapon", "Cost", "Wgt", "Damage"), ("Glaive", "7", "75", "1d6"), "75"),
        ("what does a glaive cost?", ("Weapon", "Cost", "Wgt", "Damage"), ("Glaive", "7", "75", "1d6"), "7"),
        ("TL of the cutter", ("Ship", "Tech Level", "Crew"), ("Cutter", "9", "4"), "9"),
        ("which port does the Albatross leave from", SHIPS, ALBATROSS, "Genoa"),
        ("when was the Albatross built", SHIPS, ALBATROSS, "1871"),
        ("level 7 ranger against AC 6", LEVELS, SEVENTH, "14"),
        ("ranger of the seventh level: roll for armour class 9", LEVELS, SEVENTH, "11"),
        ("xp for a rating of 7", ("CR", "XP", "CR", "XP"), ("7", "2,900", "24", "62,000"), "2,900"),
    ],
)  # fmt: skip
def test_the_likeliest_cell_is_the_one_that_is_asked_for(question, columns, cells, wanted):
    assert read_cells(question, row(columns, cells))[0].text == wanted


def test_cells_that_stand_in_the_question_are_not_its_answer() -> None:
    ships = ("Ship", "Home port", "Captain")
    cells = read_cells("who commands the Albatross of Genoa", row(ships, ("Albatross", "Genoa", "M. Ruiz")))
    assert cells[0].column == "Captain"
    assert cells[0].text == "M. Ruiz"


def test_two_columns_that_are_asked_for_are_both_read() -> None:
    columns = ("Weapon", "Cost", "Weight", "Damage", "Reach", "Hands")
    cells = read_cells("cost and weight of a glaive", row(columns, ("Glaive", "7 gp", "75", "1d6", "long", "2")))
    assert {"7 gp", "75"} <= {cell.text for cell in cells}
    assert len(cells) <= MOST


def test_a_column_without_a_head_is_called_by_its_number() -> None:
    cells = read_cells("cost of a glaive", row(("", "Cost"), ("7 gp", "7 gp"), key="7 gp"))
    assert {cell.column for cell in cells} <= {"column 1", "Cost"}
    assert read_cells("glaive", row(("",), ("a glaive",)))[0].column == "column 1"


def test_a_second_reading_is_the_same() -> None:
    chunk = row(LEVELS, SEVENTH)
    assert read_cells("level 7, AC 6", chunk) == read_cells("level 7, AC 6", chunk)


def test_probabilities_sum_to_one_and_keep_the_order() -> None:
    result = probabilities(np.asarray([1000.0, 0.0, -3.0]))
    assert result.sum() == pytest.approx(1.0)
    assert result.argmax() == 0


def test_every_feature_has_a_weight() -> None:
    assert shipped_weights().shape == (len(NAMES),)


def test_the_key_of_a_row_is_the_cell_that_picks_it() -> None:
    assert row_of(row(("A", "B"), ("x", "y"), key="y")).key == 1
    assert row_of(row(("A", "B"), ("x", "y"), key="z")).key is None


def test_a_key_counts_for_what_another_cell_says_of_it() -> None:
    wait = ("reply_wait", "seconds to wait for an answer before giving up", "30")
    features = column_features(
        "what makes it give up sooner", row_of(row(("Name", "Meaning", "Value"), wait)), tokens, np.zeros(3)
    )
    assert features[0, NAMES.index("key_farther")] > 0
    assert not features[1:, NAMES.index("key_farther")].any()


def test_a_head_is_alike_by_its_meaning() -> None:
    port = row(("Vessel", "Berth charge", "Moorage deadline"), ("Albatross", "120", "48"))
    features = column_features("how long may the Albatross stay tied up", row_of(port), tokens, np.zeros(3))
    assert features[:, NAMES.index("means_whole")].argmax() == 2


def test_the_words_of_a_question_tell_what_it_wants() -> None:
    assert answer_kind("how many rounds?", tokens).number
    assert answer_kind("when was it built?", tokens).date
    assert answer_kind("which year was it built?", tokens).date


def test_what_is_measured_goes_by_unit_and_by_head() -> None:
    wants = answer_kind("how heavy is it?", tokens)
    assert wants.fits("kilogram")
    assert not wants.fits("second")
    assert wants.measured_by("Wgt")
    assert not wants.measured_by("Cost")
    assert answer_kind("what does it cost?", tokens).fits("credit")


def test_the_words_after_which_are_kept() -> None:
    assert "port" in answer_kind("which port does it leave from", tokens).after


def test_short_forms_keep_their_ends_or_their_beginning() -> None:
    assert is_short("wgt", "weight")
    assert is_short("atmos", "atmosphere")
    assert not is_short("wgt", "weigh")
    assert not is_short("no", "not")
