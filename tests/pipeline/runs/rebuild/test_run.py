"""The bookkeeping of the benchmark; the builds themselves are played."""

import time
from itertools import accumulate
from pathlib import Path

import pytest

from pipeline.runs.outcomes import Build, Problem, Progress, RunOutcome, Step
from pipeline.runs.rebuild import run
from pipeline.runs.rebuild.library import write_library
from retrieval.errors import RetrievalError
from retrieval.home import Home


def played(names: list[str], problem: bool = False):
    """Builds that make these snapshots live, one after the other."""

    def build(home: Home, progress: Progress) -> Build:
        time.sleep(0.02)
        (home.root / "live").parent.mkdir(exist_ok=True)
        (home.root / "live").write_text(names.pop(0) * 16)
        for slug in ("book-0000", "book-0001"):
            (home.root / "books" / slug).mkdir(parents=True, exist_ok=True)
        progress(Step("book 1 of 1: a", "", 0, 2))
        progress(Step("book 1 of 1: a", "chunks", 0, 2))
        return Build(
            skipped=("book-0001",),
            problems=[Problem("chunks", "a sentence")] if problem else [],
            books={"book-0000": RunOutcome((), {"embeddings": {"n_embedded": 3}})},
            library={"candidate_index": {"n_chunks": 1400}},
        )

    return build


@pytest.fixture(autouse=True)
def cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds that take 8, 1, 2, 4 and 2 seconds of the processor."""
    spent = accumulate([0, 8, 0, 1, 0, 2, 0, 4, 0, 2])
    monkeypatch.setattr(run, "_cpu_of_children", lambda: next(spent))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("books")
    write_library(folder, 1_200, 0)
    return folder


def test_every_build_is_held_against_the_first(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "build_apart", played(list("aabcd")))
    before = {path: path.read_bytes() for path in library.rglob("*.md")}
    told: list[str] = []
    report = run.run_rebuild(13_000, library, lambda what, *_: told.append(what))
    assert [each.name for each in report.builds] == [
        "first build",
        "unchanged",
        "one cell edited",
        "one document added",
        "one book removed",
    ]
    assert (report.library, report.chunks, report.books) == (library.name, 1400, 2)
    first = report.builds[0]
    assert (first.ratio, first.n_embedded, first.n_skipped) == (1.0, 3, 1)
    assert set(first.parts) == {"start", "runs", "chunks"}
    assert [each.cpu_ratio for each in report.builds] == [1.0, 0.125, 0.25, 0.5, 0.25]
    assert all(each.ratio == round(each.seconds / first.seconds, 4) for each in report.builds)
    assert told[0] == "first build: book 1 of 1: a"
    assert next(report.lines()).startswith("1,400 chunks in 2 books")
    assert "3 embedded, 1 books not read" in list(report.lines())[2]
    assert {path: path.read_bytes() for path in library.rglob("*.md")} == before, "a copy was edited"


@pytest.mark.parametrize(("names", "said"), [("ab", "unchanged: the live snapshot changed"), ("aaa", "cell edited")])
def test_builds_that_do_not_do_what_is_timed_are_refused(
    library: Path, monkeypatch: pytest.MonkeyPatch, names: str, said: str
) -> None:
    monkeypatch.setattr(run, "build_apart", played(list(names)))
    with pytest.raises(RetrievalError, match=said):
        run.run_rebuild(13_000, library, lambda *_: None)


def test_a_build_with_a_problem_is_no_timing(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "build_apart", played(["a"], problem=True))
    with pytest.raises(RetrievalError, match="first build: chunks: a sentence"):
        run.run_rebuild(13_000, library, lambda *_: None)
