"""The bookkeeping of the benchmark; the builds themselves are played."""

from collections.abc import Callable

import pytest

from pipeline.runs.outcomes import Build, BuildProblem, Progress, Step
from retrieval.errors import RetrievalError
from retrieval.files.records import dump_record, parse_record
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from tools.bench import throughput
from tools.bench.throughput import SpreadReport, SpreadTiming, run_spread

REPORT = SpreadReport(
    books=10,
    chunks=1_000,
    seed=0,
    cores=2,
    python="3.11.9",
    load=2.5,
    timings=(
        SpreadTiming("in_process", 1, 2.0, 80.0, 18.0, 90.0),
        SpreadTiming("multiprocess", 2, 6.0, 40.0, 14.0, 120.0),
    ),
)


def played(ids: dict[str, str], problem: bool = False) -> Callable[[Home, Progress], Build]:
    """Builds that leave these candidates, by their executor."""

    def build(home: Home, progress: Progress) -> Build:
        books = [folder.slug for folder in list_books(home.library)]
        for number, slug in enumerate(books):
            progress(Step(f"book {number + 1} of {len(books)}: {slug}", "", number, len(books) + 2))
        progress(Step("the index of the whole library", "", len(books), len(books) + 2))
        home.root.mkdir()
        (home.root / "candidate").write_text(ids[home.settings.executor])
        return Build(problems=[BuildProblem("chunks", "a sentence")] if problem else [])

    return build


def test_a_line_for_each_executor_beside_the_first() -> None:
    lines = list(REPORT.lines())
    assert lines[2] == "| `in_process` | 1 | 360 | 1.00 | 2.0 s | 80.0 s | 18.0 s | 90.0 s | 0.90 |"
    assert lines[3] == "| `multiprocess` | 2 | 600 | 1.67 | 6.0 s | 40.0 s | 14.0 s | 120.0 s | 2.00 |"
    assert "10 books of 1,000 chunks" in lines[-1]
    assert "cores can index 800 books an hour" in lines[-1], "two cores have 180 s of CPU in the 90 s of the build"
    assert "any number of cores can index 1,800" in lines[-1]
    assert parse_record(dump_record(REPORT), SpreadReport) == REPORT


def test_each_executor_builds_the_same_library_in_a_home_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    ids = dict.fromkeys(("in_process", "multiprocess", "dask"), "0" * 16)
    monkeypatch.setattr(throughput, "build_apart", played(ids))
    report = run_spread(2, lambda doing, *_: told.append(doing))
    assert [(timing.executor, timing.processes) for timing in report.timings] == list(throughput.WAYS)
    assert (report.books, report.chunks) == (2, 1_000)
    assert told[:3] == [
        "in_process: book 1 of 2: book-0000",
        "in_process: book 2 of 2: book-0001",
        "in_process: the index of the whole library",
    ]
    assert all(timing.seconds >= 0 for timing in report.timings)


def test_another_index_is_no_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {"in_process": "0" * 16, "multiprocess": "0" * 16, "dask": "1" * 16}
    monkeypatch.setattr(throughput, "build_apart", played(ids))
    with pytest.raises(RetrievalError, match=r"dask built 1{16}, in_process 0{16}"):
        run_spread(2, lambda *_: None)


def test_a_build_with_a_problem_is_no_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughput, "build_apart", played({"in_process": "0" * 16}, problem=True))
    with pytest.raises(RetrievalError, match="in_process: chunks: a sentence"):
        run_spread(2, lambda *_: None)
