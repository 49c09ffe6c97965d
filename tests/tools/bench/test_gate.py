import numpy as np
import pytest

from retrieval.files.records import dump_record, parse_record
from tools.bench.gate import CHANGES, GateReport, run_gate


@pytest.fixture(scope="module")
def report() -> GateReport:
    return run_gate(12, sizes=[(1, 20), (3, 20)])


def test_the_same_seed_gives_the_same_rates_and_reads_back(report: GateReport) -> None:
    again = run_gate(12, sizes=[(3, 20)])
    assert again.rates[0] == report.rates[1]
    assert run_gate(12, seed=1, sizes=[(3, 20)]).rates != again.rates
    assert parse_record(dump_record(report), GateReport) == report


def test_a_loss_is_refused_more_often_than_nothing(report: GateReport) -> None:
    for rate in report.rates:
        for shares in (rate.together, rate.apart):
            assert shares["harmless"] < 0.5 < shares["0.3 lost in one book"]
        assert rate.together["harmless"] <= rate.apart["harmless"]
    lines = list(report.lines())
    assert len(lines) == 2 + 2 * len(report.rates) + 2
    assert len({line.count("|") for line in lines[:-2]}) == 1


def test_changes_lose_what_their_names_say() -> None:
    random = np.random.default_rng(0)
    means = {change.name: change.draw(3, 4000, random).mean(axis=1) for change in CHANGES}
    assert means["harmless"] == pytest.approx([0, 0, 0], abs=0.01)
    assert means["0.1 lost"] == pytest.approx([-0.1] * 3, abs=0.015)
    assert means["0.3 lost in one book"] == pytest.approx([-0.3, 0, 0], abs=0.02)
