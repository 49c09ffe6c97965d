import pytest

from pipeline.bench.gate import SIZES, run_gate
from pipeline.pages.gate_rates import PAGE, RATES, ROOT, read_rates, with_rates


def test_the_page_has_the_rates_that_were_simulated() -> None:
    page, report = (ROOT / PAGE).read_text("utf-8"), read_rates(ROOT / RATES)
    assert with_rates(page, report) == page, "stale; run: python -m pipeline.pages.gate_rates"
    assert [(each.books, each.questions) for each in report.rates] == list(SIZES)
    assert with_rates(page, run_gate(1, sizes=SIZES[:1])) != page


def test_what_was_simulated_is_within_what_is_promised() -> None:
    for each in read_rates(ROOT / RATES).rates:
        assert each.together["harmless"] <= 0.125, "a tenth, and what 300 simulations leave open"
        if each.books > 1:
            assert each.apart["harmless"] > 2 * each.together["harmless"]
            assert min(each.together["0.1 lost"], each.together["0.3 lost in one book"]) > 0.9


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="markers"):
        with_rates("nothing here", read_rates(ROOT / RATES))
