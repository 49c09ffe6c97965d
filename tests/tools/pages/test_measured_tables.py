from dataclasses import replace

import pytest

from evals.metric_table import Use, names
from tools.bench.contract import ContractReport
from tools.bench.gate import SIZES, GateReport, run_gate
from tools.bench.hints import HintCurve
from tools.pages.measured_tables import (
    CONTRACT_TIMES,
    GATE_RATES,
    HINTS,
    HINTS_DRAWN,
    ROOT,
    TABLES,
    MeasuredTable,
    SampleScores,
    hints_drawn,
)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.block)
def test_the_page_has_what_was_measured(table: MeasuredTable) -> None:
    page = (ROOT / table.page).read_text("utf-8")
    assert table.on(page, table.report()) == page, "stale; run: python -m tools.pages.measured_tables"


def test_other_times_are_another_page() -> None:
    page, times = (ROOT / CONTRACT_TIMES.page).read_text("utf-8"), CONTRACT_TIMES.report()
    assert isinstance(times, ContractReport)
    slower = replace(times, timings=tuple(replace(timing, p50_ms=timing.p50_ms * 2) for timing in times.timings))
    assert CONTRACT_TIMES.on(page, slower) != page


def test_other_rates_are_another_page() -> None:
    page = (ROOT / GATE_RATES.page).read_text("utf-8")
    assert GATE_RATES.on(page, run_gate(1, sizes=SIZES[:1])) != page


def test_the_picture_of_the_hints_is_of_their_numbers() -> None:
    assert (ROOT / HINTS_DRAWN).read_text("utf-8") == hints_drawn(), "run: python -m tools.pages.measured_tables"


def test_a_hint_never_loses_what_a_wrong_filter_loses() -> None:
    curve = HINTS.report()
    assert isinstance(curve, HintCurve)
    plain, *hints, hard = curve.points
    assert hard.wrong_recall == 0
    assert all(hint.wrong_recall > 0 for hint in hints)
    assert all(hint.right_contamination < plain.right_contamination for hint in hints)


def test_what_was_simulated_is_within_what_is_promised() -> None:
    report = GATE_RATES.report()
    assert isinstance(report, GateReport)
    assert [(rate.books, rate.questions) for rate in report.rates] == list(SIZES)
    for each in report.rates:
        assert each.together["harmless"] <= 0.125, "a tenth, and what 300 simulations leave open"
        if each.books > 1:
            assert each.apart["harmless"] > 2 * each.together["harmless"]
            assert min(each.together["0.1 lost"], each.together["0.3 lost in one book"]) > 0.9


def test_the_scores_of_the_readme_are_a_line_for_each_strategy_and_a_dash_where_nothing_is_said() -> None:
    scores = {"hit@1": 0.4321, "noise@15": 5.66, "false_exclusions": 0.0, "noise_reduction": None}
    header, _, line = (each.split("|")[1:-1] for each in SampleScores({"dense": scores}).lines())
    cells = {name.strip(): cell.strip() for name, cell in zip(header, line, strict=True)}
    assert tuple(cells) == ("strategy", *names(Use.README))
    assert (cells["hit@1"], cells["noise@15"], cells["false_exclusions"]) == ("0.432", "5.7", "0")
    assert cells["noise_reduction"] == cells["mrr"] == "-"
