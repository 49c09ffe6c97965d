"""Books indexed by two processes: the same index as by one, every failure told, and nothing left behind."""

import itertools
import os
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipeline.runs.build import build
from pipeline.runs.in_process import BUILD, UNFINISHED, dagster_instance
from pipeline.runs.outcomes import Step
from retrieval.home import Home
from retrieval.settings import Settings
from tests.conftest import table_of
from tests.openai_server.server import FakeOpenAi, fake_openai
from tests.processes import hearing_ctrl_c

ROOT = Path(__file__).parents[3]
BOUND = 60.0
"""Seconds that a busy machine may need."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for position, slug in enumerate(("alpha", "beta", "gamma")):
        (tmp_path / "library" / slug).mkdir(parents=True)
        rows = [f"{slug} {number}" for number in range(3 + position)]
        (tmp_path / "library" / slug / "01.md").write_text(table_of(slug, rows))
    return Home(tmp_path / "home", Settings(tmp_path / "library", executor="multiprocess", processes=2))


def records(home: Home) -> dict[str, bytes]:
    """What the books' folders of records hold, but for when each was finished."""
    root = home.root / "books"
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and path.name != "finished.json")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
def test_two_processes_make_the_index_that_one_makes(home: Home, tmp_path: Path) -> None:
    steps: list[Step] = []
    alone = Home(tmp_path / "alone", replace(home.settings, executor="in_process"))
    spread, single = build(home, steps.append), build(alone)
    assert spread.problems == single.problems == []
    assert home.candidate == alone.candidate
    assert records(home) == records(alone)
    assert {slug: outcome.numbers for slug, outcome in spread.books.items()} == {
        slug: outcome.numbers for slug, outcome in single.books.items()
    }
    assert list(spread.books) == ["alpha", "beta", "gamma"]
    assert [step.doing for step in steps if step.doing.startswith("book 1 of 3")]
    assert {step.total for step in steps} == {5}
    again = build(home)
    assert (again.is_unchanged, again.total("n_reused")) == (True, 12), "what each process left is known"
    with dagster_instance(home) as instance:
        runs = instance.get_runs()
        shown = instance.get_runs(dg.RunsFilter(tags={".dagster/repository": "__repository__@querymust"}))
    assert len(shown) == len(runs)
    of_books = [run for run in runs if run.job_name == "index_book"]
    assert sorted(run.tags["dagster/partition"] for run in of_books) == ["alpha", "beta", "gamma"]
    assert len({run.tags[BUILD] for run in runs}) == 1


class Together(FakeOpenAi):
    """Answers the first two requests for the vectors of a book once both are there."""

    def __init__(self) -> None:
        super().__init__()
        self.came, self.met, self.both = itertools.count(), 0, threading.Barrier(2)

    def embeddings(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if len(body["input"]) > 1 and next(self.came) < 2:
            self.both.wait(BOUND)
            self.met += 1
        return super().embeddings(body)


@pytest.mark.slow
def test_a_server_of_embeddings_is_asked_by_several_books_at_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_openai(Together()) as server:
        for name, output in server.environment.items():
            monkeypatch.setenv(name, output)
        hosted = Home(home.root, replace(home.settings, embedder="openai"))
        assert build(hosted).problems == []
    assert server.met == 2


@pytest.mark.slow
def test_a_book_that_fails_is_told_of_and_stops_the_snapshot(home: Home) -> None:
    (home.book("beta") / "tables.jsonl").mkdir(parents=True)  # no file of that name can be written
    done = build(home)
    assert [problem.where for problem in done.problems] == ["tables"]
    assert {slug: bool(outcome.problems) for slug, outcome in done.books.items()} == {
        "alpha": False,
        "beta": True,
        "gamma": False,
    }
    assert not (home.root / "live").exists()


@pytest.mark.slow
def test_nothing_that_an_interrupted_build_started_goes_on(home: Home) -> None:
    mark = uuid.uuid4().hex
    home.settings.write(home.root)
    process = subprocess.Popen(
        hearing_ctrl_c("-m", "pipeline.cli", "build", "--home", str(home.root)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"MARK": mark},
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        assert first.startswith("book 1 of 3")
        assert len(marked(mark)) >= 4, "the command, its worker, and two lanes"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=BOUND)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, ""), err
    until = time.monotonic() + BOUND
    while marked(mark):
        assert time.monotonic() < until, "processes outlived the build"
        time.sleep(0.05)
    done = build(home)
    assert done.problems == []
    with dagster_instance(home) as instance:
        assert instance.get_runs(dg.RunsFilter(statuses=list(UNFINISHED))) == []


def marked(mark: str) -> list[int]:
    """Processes that inherited the mark."""
    result = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            output = path.read_bytes()
        except OSError:
            continue
        if mark.encode() in output:
            result.append(int(path.parent.name))
    return result
