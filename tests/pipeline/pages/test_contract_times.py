from dataclasses import replace

import pytest

from pipeline.pages.contract_times import PAGE, ROOT, TIMES, read_times, with_times


def test_the_page_of_the_contract_has_the_times_that_were_measured() -> None:
    page, times = (ROOT / PAGE).read_text("utf-8"), read_times(ROOT / TIMES)
    assert with_times(page, times) == page, "stale; run: python -m pipeline.pages.contract_times"
    slower = replace(times, timings=tuple(replace(each, p50_ms=each.p50_ms * 2) for each in times.timings))
    assert with_times(page, slower) != page


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="markers"):
        with_times("nothing here", read_times(ROOT / TIMES))
