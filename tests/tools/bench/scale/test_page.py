from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from retrieval.files.records import dump_record, parse_record
from tools.bench.scale import run
from tools.bench.scale.page import INK, PAGE, PLOT, ROOT, RUNS, WAYS, Growth, apart, performance_page, plot, read_runs
from tools.bench.scale.report import ScaleReport
from tools.bench.scale.run import run_scale

SVG = "{http://www.w3.org/2000/svg}"
STALE = "stale; run: python -m tools.bench.scale.page"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> ScaleReport:
    return run_scale(200, questions=20, home=tmp_path_factory.mktemp("scale"))


def test_the_page_and_its_plot_are_those_that_the_runs_give() -> None:
    runs = read_runs(ROOT / RUNS)
    assert (ROOT / PAGE).read_text("utf-8") == performance_page(runs), STALE
    assert (ROOT / PLOT).read_text("utf-8") == plot(runs), STALE


def test_a_changed_time_makes_the_page_and_the_plot_stale() -> None:
    first, *others = read_runs(ROOT / RUNS)
    slower = replace(first, timings=tuple(replace(timing, p50_ms=timing.p50_ms * 3) for timing in first.timings))
    assert performance_page([slower, *others]) != (ROOT / PAGE).read_text("utf-8")
    assert plot([slower, *others]) != (ROOT / PLOT).read_text("utf-8")


@pytest.mark.slow
def test_a_run_measures_every_way_and_starves_nobody_but_the_loop(small: ScaleReport) -> None:
    starved = {timing.name: timing.starved for timing in small.timings}
    assert {"chroma_plain", "prefilter", "hybrid", "hybrid_graph", "default", "rank_bm25", "bm25s"} <= set(starved)
    assert not any(count for name, count in starved.items() if not name.startswith("nin_loop"))
    assert sum(small.rounds.values()) == small.questions == 20
    assert small.filtered_questions == 2
    assert {"embed", "lexical", "collections"} <= set(small.build_seconds)
    assert all(timing.p50_ms > 0 for timing in small.timings)


@pytest.mark.slow
def test_a_run_reads_back_what_it_printed(small: ScaleReport) -> None:
    assert parse_record(dump_record(small), ScaleReport) == small
    assert {goal.name for goal in small.goals()} >= {"prefilter / chroma_plain", "bm25 / bm25s"}


def test_a_goal_is_reached_or_not_by_its_bound(small: ScaleReport) -> None:
    slow = tuple(replace(timing, p50_ms=1000.0) if timing.name == "default" else timing for timing in small.timings)
    verdict = {goal.name: goal.reached for goal in replace(small, timings=slow).goals()}
    assert not verdict["default / chroma_plain"]
    assert verdict["starved questions, prefilter"]


def test_a_larger_library_may_cost_default_more(small: ScaleReport) -> None:
    timings = tuple(
        replace(timing, p50_ms={"default": 6.0, "chroma_plain": 1.0}.get(timing.name, timing.p50_ms))
        for timing in small.timings
    )
    verdict = {chunks: replace(small, chunks=chunks, timings=timings).default_goal() for chunks in (100_000, 1_000_000)}
    assert [goal.reached for goal in verdict.values()] == [False, True]
    sizes = [replace(small, chunks=chunks, timings=timings) for chunks in verdict]
    assert "| default / chroma_plain, at 1,000,000 | 6.00 | | under 8 | yes |" in performance_page(sizes)


def test_the_page_says_how_searches_grow(small: ScaleReport) -> None:
    sizes = [replace(small, chunks=chunks) for chunks in (100_000, 1_000_000)]
    assert "| prefilter | 1.00 | 1.00 | under 1.5 | yes |" in performance_page(sizes)
    slow = tuple(
        replace(timing, p50_ms=timing.p50_ms * 5, cpu_p50_ms=2 * timing.cpu_p50_ms) for timing in small.timings
    )
    slower = performance_page([sizes[0], replace(sizes[1], timings=slow)])
    assert "| prefilter | 5.00 | 2.00 | under 1.5 | **no** |" in slower
    assert "| default | 5.00 | 2.00 | under 3 | **no** |" in slower


def test_the_page_says_whose_a_readers_memory_is(small: ScaleReport) -> None:
    held = {"process_searching": 2720.0, "process_own": 127.0, "process_mapped": 2593.0, "build": 6000.0}
    sizes = [replace(small, chunks=chunks, megabytes={**small.megabytes, **held}) for chunks in (100_000, 1_000_000)]
    page = performance_page(sizes)
    assert "A reader of 1,000,000 chunks has 127 MB of private memory (bound: 1,000): yes." in page
    assert "| 1,000,000 | 2,720 | 127 | 2,593 | 6,000 | " in page
    much = replace(sizes[1], megabytes={**sizes[1].megabytes, "process_own": 1783.0})
    assert "has 1,783 MB of private memory (bound: 1,000): **no**." in performance_page([sizes[0], much])


@pytest.mark.slow
def test_a_run_without_chroma_has_our_ways_alone_and_the_page_goes_without(
    small: ScaleReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "EMBEDDED_UP_TO", 100)
    without = run_scale(200, questions=20, home=tmp_path / "without")
    assert {timing.name for timing in small.timings} - {timing.name for timing in without.timings} == {
        "chroma_plain",
        "nin_loop",
        "nin_loop, three rounds",
        "prefilter, those questions",
    }
    assert not (tmp_path / "without" / "single").exists()
    assert (without.megabytes["disk_chroma"], without.ann_recall, without.rounds) == (0.0, None, {})
    assert "collections" not in without.build_seconds
    assert without.first_build()[1] == 0 < small.first_build()[1]
    assert parse_record(dump_record(without), ScaleReport) == without
    assert not any("chroma" in goal.name or "ANN" in goal.name for goal in without.goals())
    assert len(without.lines()) > 20

    page = performance_page([replace(small, chunks=100_000), replace(without, chunks=1_000_000)])
    assert "| default at 1,000,000 / chroma_plain at 100,000 |" in page
    assert "| chroma_plain |" not in page.split("## 1,000,000 chunks")[1].split("## 100,000 chunks")[0]
    drawn = plot([small, replace(without, chunks=2000)])
    texts = ["".join(text.itertext()) for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert len([text for text in texts if text.startswith("chroma_plain ")]) == 1


@pytest.mark.slow
def test_chroma_is_timed_in_a_large_library_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "EMBEDDED_UP_TO", 100)
    scale = run_scale(200, questions=4, home=tmp_path, chroma=True)
    assert scale.has_chroma
    assert scale.ann_recall == 1.0
    assert "collections" not in scale.build_seconds, "the snapshot has none in any case"


def test_a_run_says_what_memory_is_its_own_and_what_it_finds(small: ScaleReport) -> None:
    assert 0 < small.megabytes["process_own"] < small.megabytes["process_searching"]
    assert small.own_recall == {"dense": 1.0, "prefilter": 1.0}, "every vector of so small a library is compared"
    held = [small.megabytes[name] for name in ("process_own", "process_mapped", "process_searching")]
    assert held[0] + held[1] == pytest.approx(held[2], rel=0.05)
    page = performance_page([small])
    assert "`prefilter` 1.0000" in page


def test_a_run_says_what_of_its_time_was_the_processors(small: ScaleReport) -> None:
    assert all(timing.cpu_p50_ms for timing in small.timings)
    assert small.cpu_p50("default") == next(timing.cpu_p50_ms for timing in small.timings if timing.name == "default")
    assert small.build_cpu_seconds is not None
    assert set(small.build_cpu_seconds) == set(small.build_seconds)
    assert "CPU seconds: embed" in performance_page([small])


def test_the_plot_names_each_line_once_with_its_last_time(small: ScaleReport) -> None:
    runs = [small, replace(small, chunks=2000)]
    drawn = plot(runs)
    texts = ["".join(text.itertext()) for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    for name in WAYS:
        (output,) = [text for text in texts if text.startswith(f"{name} ")]
        assert float(output.split()[1].replace(",", "")) == pytest.approx(small.p50(name), rel=0.01, abs=0.06)
    assert {"200", "2,000"} <= set(texts)
    assert plot(runs) == drawn


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("page", ["#ffffff", "#0d1117"])
@pytest.mark.parametrize("colour", [*WAYS.values(), INK])
def test_every_colour_is_read_on_a_white_page_and_on_a_dark_one(colour: str, page: str) -> None:
    bright, dark = sorted((luminance(colour), luminance(page)), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 3, "WCAG 2.2 asks for 3 : 1 in graphics"


def test_labels_that_would_overlap_are_moved_apart() -> None:
    moved = apart({"a": 1.0, "b": 1.1, "c": 5.0}, 0.5)
    assert moved == {"a": 1.0, "b": 1.5, "c": 5.0}


def growth(small: float, large: float) -> Growth:
    return Growth("cost", "s", (100, 1000), (small, large))


def test_what_grows_no_faster_than_the_library_is_carried_on_by_the_line() -> None:
    result = growth(30, 210)
    assert not result.steepens
    assert result.slope == pytest.approx(0.2)
    assert result.at(10_000) == pytest.approx(30 + 0.2 * 9_900)


def test_what_grows_faster_is_carried_on_by_the_same_factor() -> None:
    result = growth(2, 40)
    assert result.steepens
    assert result.at(10_000) == pytest.approx(40 * 20)
    assert result.at(100_000) == pytest.approx(40 * 20 * 20)


@pytest.mark.parametrize(("small", "large"), [(30, 210), (2, 40)], ids=["line", "factor"])
def test_what_was_measured_is_what_is_said(small: float, large: float) -> None:
    assert growth(small, large).at(100) == pytest.approx(small)
    assert growth(small, large).at(1000) == pytest.approx(large)


@pytest.mark.parametrize(("small", "large"), [(30, 210), (2, 40)], ids=["line", "factor"])
@pytest.mark.parametrize("bound", [60.0, 5000.0], ids=["between the two", "beyond"])
def test_a_bound_is_reached_where_the_cost_is_that(small: float, large: float, bound: float) -> None:
    result = growth(small, large)
    chunks = result.reaches(bound)
    assert chunks is not None
    assert result.at(chunks) == pytest.approx(bound, rel=0.001)


def test_what_does_not_grow_reaches_nothing() -> None:
    assert growth(3, 3).reaches(4) is None
