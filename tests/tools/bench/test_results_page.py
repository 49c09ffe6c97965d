from dataclasses import replace
from pathlib import Path

import pytest

from tools.bench.cells import Cell
from tools.bench.results_page import DATA_FILE, PAGE_FILE, REFERENCES, Results, _rounded_cell, results_page
from tools.bench.tables import cell_table

DOCS = Path(__file__).parents[3] / "docs" / "results"


@pytest.fixture(scope="module")
def committed() -> Results:
    return Results.read(DOCS)


def test_the_committed_page_is_the_one_that_its_data_give(committed: Results) -> None:
    assert (DOCS / PAGE_FILE).read_text("utf-8") == results_page(committed), (
        "stale; run: python -m tools bench all --data ROOT"
    )


def test_a_changed_number_makes_the_page_stale(committed: Results) -> None:
    first = next(number for number in committed.numbers if number.metric == "hit@1" and number.value is not None)
    changed = tuple(replace(number, value=0.0123) if number is first else number for number in committed.numbers)
    assert results_page(replace(committed, numbers=changed)) != results_page(committed)


def test_what_is_written_is_read_back(committed: Results, tmp_path: Path) -> None:
    committed.write(tmp_path)
    assert Results.read(tmp_path) == committed
    assert (tmp_path / DATA_FILE).read_bytes() == (DOCS / DATA_FILE).read_bytes()


def test_cells_are_written_read_back_and_shown(committed: Results, tmp_path: Path) -> None:
    cell = Cell("ttrpg", "open", "osric", "rule", "hit@1", 5, 0.4, "fts5", 0.8, 0.03, ("bm25", "fts5"))
    results = replace(committed, cells=(cell,))
    results.write(tmp_path)
    assert Results.read(tmp_path) == results
    assert "| ttrpg | osric | rule | 5 | 0.400, fts5 0.800, p 0.030 ▼ bm25, fts5 |" in results_page(results)


def test_cells_of_a_run_are_not_rounded_twice() -> None:
    cell = Cell("s", "open", "*", "look-up", "hit@5", 82, 69 / 82, "fts5", 19 / 37, 1 / 3, ())
    shown = cell_table([_rounded_cell(cell)])
    assert shown == cell_table([cell])
    assert "| 0.841, fts5 0.514, p 0.333 |" in shown


def test_every_reference_figure_has_a_number_of_ours(committed: Results) -> None:
    ours = {
        (number.set, number.book, number.kind, number.metric)
        for number in committed.numbers
        if number.strategy == "bm25"
    }
    assert [each for each in REFERENCES if (each.set, each.book, each.kind, each.metric) not in ours] == []


def test_every_strategy_is_on_the_page_for_every_set(committed: Results) -> None:
    sets = {number.set for number in committed.numbers}
    assert len(sets) >= 9
    for name in sets:
        strategies = {number.strategy for number in committed.numbers if number.set == name}
        assert strategies >= {"*", "bm25", "dense", "hybrid", "iterative", "prefilter", "default"}
