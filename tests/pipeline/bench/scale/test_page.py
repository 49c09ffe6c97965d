from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pipeline.bench.scale.page import PAGE, PLOT, ROOT, RUNS, performance_page, read_runs
from pipeline.bench.scale.plot import plot
from pipeline.bench.scale.report import ScaleReport
from pipeline.bench.scale.run import run_scale

STALE = "stale; run: python -m pipeline.bench.scale.page"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> ScaleReport:
    return run_scale(200, questions=40, home=tmp_path_factory.mktemp("scale"))


def test_the_page_and_its_plot_are_those_that_the_runs_give() -> None:
    runs = read_runs(ROOT / RUNS)
    assert (ROOT / PAGE).read_text("utf-8") == performance_page(runs), STALE
    assert (ROOT / PLOT).read_text("utf-8") == plot(runs), STALE


def test_a_changed_time_makes_the_page_and_the_plot_stale() -> None:
    first, *others = read_runs(ROOT / RUNS)
    slower = replace(first, timings=tuple(replace(each, p50_ms=each.p50_ms * 3) for each in first.timings))
    assert performance_page([slower, *others]) != (ROOT / PAGE).read_text("utf-8")
    assert plot([slower, *others]) != (ROOT / PLOT).read_text("utf-8")


def test_a_run_measures_every_way_and_starves_nobody_but_the_loop(small: ScaleReport) -> None:
    starved = {timing.name: timing.starved for timing in small.timings}
    assert {"chroma_plain", "prefilter", "hybrid", "hybrid_graph", "default", "rank_bm25", "bm25s"} <= set(starved)
    assert not any(count for name, count in starved.items() if not name.startswith("nin_loop"))
    assert sum(small.rounds.values()) == small.questions == 40
    assert small.filtered_questions == 4
    assert {"embed", "lexical", "collections"} <= set(small.build_seconds)
    assert all(timing.p50_ms > 0 for timing in small.timings)


def test_a_run_reads_back_what_it_printed(small: ScaleReport) -> None:
    assert ScaleReport.of(asdict(small)) == small
    assert {goal.name for goal in small.goals()} >= {"prefilter / chroma_plain", "bm25 / bm25s"}


def test_a_goal_is_reached_or_not_by_its_bound(small: ScaleReport) -> None:
    slow = tuple(replace(each, p50_ms=1000.0) if each.name == "default" else each for each in small.timings)
    verdict = {goal.name: goal.reached for goal in replace(small, timings=slow).goals()}
    assert not verdict["default / chroma_plain"]
    assert verdict["starved questions, prefilter"]


def test_the_page_says_how_prefilter_grows(small: ScaleReport) -> None:
    sizes = [replace(small, chunks=chunks) for chunks in (10_000, 1_000_000)]
    assert "| prefilter | 1.00 | under 4 | yes |" in performance_page(sizes)
    slow = tuple(replace(each, p50_ms=each.p50_ms * 5) for each in small.timings)
    assert "| prefilter | 5.00 | under 4 | **no** |" in performance_page([sizes[0], replace(sizes[1], timings=slow)])


def test_the_plot_is_svg(small: ScaleReport, tmp_path: Path) -> None:
    root = ElementTree.fromstring(plot([small, replace(small, chunks=2000)]))
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 7
