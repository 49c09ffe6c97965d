"""The bookkeeping of the benchmark; the builds themselves are played."""

import time
from itertools import accumulate
from pathlib import Path

import pytest

from pipeline.runs.outcomes import Build, BuildProblem, Progress, RunOutcome, Step
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.language.vocabulary import Vocabulary
from tools.bench import rebuild
from tools.bench.rebuild import add_document, edit_cell, remove_book, write_library


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
            problems=[BuildProblem("chunks", "a sentence")] if problem else [],
            books={"book-0000": RunOutcome((), {"embeddings": {"n_embedded": 3}})},
            library={"candidate_index": {"n_chunks": 1400}},
        )

    return build


@pytest.fixture(autouse=True)
def cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds that take 8, 1, 2, 4 and 2 seconds of the processor."""
    spent = accumulate([0, 8, 0, 1, 0, 2, 0, 4, 0, 2])
    monkeypatch.setattr(rebuild, "cpu_of_children", lambda: next(spent))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("books")
    write_library(folder, 1_200, 0)
    return folder


def test_every_build_is_held_against_the_first(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "build_apart", played(list("aabcd")))
    before = {path: path.read_bytes() for path in library.rglob("*.md")}
    told: list[str] = []
    report = rebuild.run_rebuild(13_000, library, lambda what, *_: told.append(what))
    assert [build.name for build in report.builds] == [
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
    assert [build.cpu_ratio for build in report.builds] == [1.0, 0.125, 0.25, 0.5, 0.25]
    assert all(build.ratio == round(build.seconds / first.seconds, 4) for build in report.builds)
    assert told[0] == "first build: book 1 of 1: a"
    assert next(report.lines()).startswith("1,400 chunks in 2 books")
    assert "3 embedded, 1 books not read" in list(report.lines())[2]
    assert {path: path.read_bytes() for path in library.rglob("*.md")} == before, "a copy was edited"


@pytest.mark.parametrize(("names", "said"), [("ab", "unchanged: the live snapshot changed"), ("aaa", "cell edited")])
def test_builds_that_do_not_do_what_is_timed_are_refused(
    library: Path, monkeypatch: pytest.MonkeyPatch, names: str, said: str
) -> None:
    monkeypatch.setattr(rebuild, "build_apart", played(list(names)))
    with pytest.raises(RetrievalError, match=said):
        rebuild.run_rebuild(13_000, library, lambda *_: None)


def test_a_build_with_a_problem_is_no_timing(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "build_apart", played(["a"], problem=True))
    with pytest.raises(RetrievalError, match="first build: chunks: a sentence"):
        rebuild.run_rebuild(13_000, library, lambda *_: None)


def test_a_library_has_the_chunks_that_were_asked_for(tmp_path: Path) -> None:
    write_library(tmp_path / "one", 400, 0)
    write_library(tmp_path / "two", 400, 0)
    (book,) = list_books(tmp_path / "one")
    assert book.digest == list_books(tmp_path / "two")[0].digest
    chunks = chunks_of_book(read_book(book), Vocabulary.default())
    assert len(chunks) == 400
    assert sum(chunk.kind == "row" for chunk in chunks) == 360
    assert len({chunk.heading_path[-1] for chunk in chunks}) == 2 * 29


def test_each_edit_changes_what_it_says(tmp_path: Path) -> None:
    write_library(tmp_path, 1_400, 0)
    before = {path: path.read_text() for path in sorted(tmp_path.rglob("*.md"))}
    edit_cell(tmp_path)
    (edited,) = [path for path, text in before.items() if path.read_text() != text]
    pairs = zip(before[edited].split("\n"), edited.read_text().split("\n"), strict=True)
    ((one, other),) = [(one, other) for one, other in pairs if one != other]
    assert other == one.removesuffix(" |") + "7 |"
    add_document(tmp_path, 0)
    assert len(list(tmp_path.glob("book-0000/*.md"))) == 6
    remove_book(tmp_path)
    assert [book.slug for book in list_books(tmp_path)] == ["book-0000"]


def test_a_library_without_a_number_in_a_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "one.md").write_text("# One\n\n| A | B |\n|---|---|\n| x | y |\n\n1 | 2 |\n")
    with pytest.raises(ValueError, match="no table row"):
        edit_cell(tmp_path)
