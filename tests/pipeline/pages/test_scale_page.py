import re
import shlex
from dataclasses import replace

import pytest
import typer.main

from pipeline.bench.scale.page import ROOT, RUNS, read_runs
from pipeline.cli import app
from pipeline.pages.scale_page import ON_PAPER, PAGE, SEARCHES, STAGES, breakings, costs, scale_page

RUNS_THERE = read_runs(ROOT / RUNS)
WRITTEN = (ROOT / PAGE).read_text("utf-8")


def test_the_page_is_the_one_that_the_runs_give() -> None:
    assert scale_page(RUNS_THERE) == WRITTEN, "stale; run: python -m pipeline.pages.scale_page"


def test_a_larger_memory_makes_the_page_stale_and_breaks_sooner() -> None:
    *others, largest = RUNS_THERE
    larger = replace(largest, megabytes={**largest.megabytes, "process_searching": 9000.0})
    assert scale_page([*others, larger]) != WRITTEN
    before, after = (
        next(each.growth.reaches(each.bound) for each in breakings((others[-1], run)) if "16 GB" in each.said)
        for run in (largest, larger)
    )
    assert after < before


def test_every_measured_part_is_on_the_page_with_what_it_would_cost() -> None:
    for growth in costs(RUNS_THERE[-2:]):
        (row,) = [line for line in WRITTEN.splitlines() if line.startswith(f"| {growth.name} |")]
        assert row.endswith(f" {growth.at(ON_PAPER):,.0f} {growth.unit} |")
    assert set(STAGES) <= set(RUNS_THERE[-1].build_seconds)
    assert all(RUNS_THERE[-1].p50(name) for name in SEARCHES)


def test_what_breaks_first_stands_first() -> None:
    table = WRITTEN.split("## What breaks first")[1].split("## ")[0]
    found = [int(number.replace(",", "")) for number in re.findall(r"^\| ([\d,]+) \|", table, re.MULTILINE)]
    assert found == sorted(found)
    assert len(found) == len(breakings(RUNS_THERE[-2:]))


def test_a_page_needs_both_sizes() -> None:
    with pytest.raises(ValueError, match=r"there are runs at \[1000, 10000, 100000\] chunks; run: querymust"):
        scale_page(RUNS_THERE[:-1])


@pytest.mark.parametrize("line", re.findall(r"^querymust .*$", WRITTEN, re.MULTILINE))
def test_every_command_of_the_three_machines_exists_with_its_options(line: str) -> None:
    _, name, *words = shlex.split(line)
    command = typer.main.get_command(app).commands[name]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
