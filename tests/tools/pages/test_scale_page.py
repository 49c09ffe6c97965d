import re
import shlex
from dataclasses import replace

import pytest
import typer.main

from pipeline.cli import app
from tools.bench.scale.page import ROOT, RUNS, read_runs
from tools.bench.scale.report import ScaleReport
from tools.pages.scale_page import ON_PAPER, PAGE, SEARCHES, breakings, costs, scale_page

RUNS_THERE = read_runs(ROOT / RUNS)
WRITTEN = (ROOT / PAGE).read_text("utf-8")


def test_the_page_is_the_one_that_the_runs_give() -> None:
    assert scale_page(RUNS_THERE) == WRITTEN, "stale; run: python -m tools.pages.scale_page"


def test_a_larger_memory_makes_the_page_stale_and_breaks_sooner() -> None:
    *others, largest = RUNS_THERE
    held = {name: 9000.0 for name in ("process_searching", "process_mapped") if name in largest.megabytes}
    larger = replace(largest, megabytes={**largest.megabytes, **held})
    assert scale_page([*others, larger]) != WRITTEN
    before, after = (
        next(
            breaking.growth.reaches(breaking.bound)
            for breaking in breakings((others[-1], run))
            if "16 GB" in breaking.said
        )
        for run in (largest, larger)
    )
    assert after < before


def held_at(run: ScaleReport) -> ScaleReport:
    """The run with a reader's memory and with times that grow evenly with its chunks."""
    share = run.chunks / 1_000_000
    held = {"process_own": 100 + 30 * share, "process_mapped": 2600 * share, "build": 6000 * share}
    timings = tuple(replace(timing, cpu_p50_ms=2 + 10 * share) for timing in run.timings)
    recall = {"dense": 0.993, "prefilter": 0.981}
    megabytes = {**run.megabytes, **held}
    return replace(run, megabytes=megabytes, timings=timings, own_recall=recall, load=0.5)


def test_the_page_says_whose_a_readers_memory_is_and_what_a_part_misses() -> None:
    page = scale_page([held_at(run) for run in RUNS_THERE])
    assert "| a reader's private memory | 103.0 MB | 130.0 MB | 1.3 | 400 MB |" in page
    assert "has 103 MB of private memory at 100,000 chunks, 130 at 1,000,000, and would have 400 here" in page
    assert "mapped files, 26 GB" in page
    assert "A build would hold 60 GB at once" in page
    assert "`prefilter` 4.0, `default` 4.0" in page, "12 ms of CPU for 3"
    assert "`dense` 99.3%, `prefilter` 98.1%" in page
    assert "| 6,200,000 | a reader maps 16 GB |" in page


def test_the_page_says_that_others_were_at_work() -> None:
    quiet, busy = ([replace(run, load=load) for run in RUNS_THERE] for load in (1.9, 8.5))
    assert "The machine had other load" not in scale_page(quiet)
    assert "(load average 8.5 and 8.5 at the end)" in scale_page(busy)


def test_every_measured_part_is_on_the_page_with_what_it_would_cost() -> None:
    for growth in costs(RUNS_THERE[-2:]):
        (row,) = [line for line in WRITTEN.splitlines() if line.startswith(f"| {growth.name} |")]
        assert row.endswith(f" {growth.at(ON_PAPER):,.0f} {growth.unit} |")
    assert all(RUNS_THERE[-1].p50(name) for name in SEARCHES)


def test_what_breaks_first_stands_first() -> None:
    table = WRITTEN.split("## Bounds")[1].split("## ")[0]
    result = [int(number.replace(",", "")) for number in re.findall(r"^\| ([\d,]+) \|", table, re.MULTILINE)]
    assert result == sorted(result)
    assert len(result) == len(breakings(RUNS_THERE[-2:]))


def test_a_page_needs_both_sizes() -> None:
    with pytest.raises(ValueError, match=r"there are runs at \[1000, 10000, 100000\] chunks; run: python -m tools"):
        scale_page(RUNS_THERE[:-1])


@pytest.mark.parametrize("line", re.findall(r"^querymust .*$", WRITTEN, re.MULTILINE))
def test_every_command_of_the_three_machines_exists_with_its_options(line: str) -> None:
    _, name, *words = shlex.split(line)
    command = typer.main.get_command(app).commands[name]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
