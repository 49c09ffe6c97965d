import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.pipeline.conftest import Ran
from tools.benchmark.page import PAGE, comparison_lines, curve_picture, picture_name, with_results
from tools.benchmark.results import RESULTS, Results
from tools.benchmark.worker import Job, run_job

RESULTS_FOLDER = Path(__file__).parents[3] / "docs" / "results"
PAGE_TEXT = (RESULTS_FOLDER / PAGE).read_text("utf-8")


def test_the_page_is_the_one_that_the_results_give() -> None:
    results = Results.read(RESULTS_FOLDER / RESULTS)
    assert with_results(PAGE_TEXT, results) == PAGE_TEXT, "stale; run: python -m tools benchmark --write"
    for comparison in results.comparisons:
        title = f"Questions about table rows: {comparison.books}, {comparison.embedder}"
        picture = (RESULTS_FOLDER / picture_name(comparison)).read_text("utf-8")
        assert picture == curve_picture(comparison.systems, title)


def test_the_system_of_the_page_runs(books: Path, tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE_TEXT, re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 40
    (tmp_path / "loop.py").write_text(code)
    outcome = run_job(Job(f"{tmp_path}/loop.py:Loop", "wordllama", str(books)))
    assert outcome.system == "loop"
    assert outcome.index_bytes > 0
    assert {question.id: question.rank is not None for question in outcome.questions} == {
        "row": True,
        "two": True,
        "prose": True,
        "none": False,
    }


def test_the_command_measures_a_book_with_systems_beside_each_other(
    run: Callable[..., Ran], books: Path, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    systems = [argument for name in ("default", "fts5", "chroma") for argument in ("--system", name)]
    done = run("benchmark", "--books", books, *systems, "--write", "--docs", docs, "--json")

    assert done.status == 0, done.err
    results = Results.read(docs / RESULTS)
    assert done.json == json.loads(json.dumps(asdict(results)))
    (comparison,) = results.comparisons
    assert (comparison.kind, comparison.n_books, comparison.n_questions) == ("other", 1, 4)
    assert [system.system for system in comparison.systems] == ["default", "fts5", "chroma"]
    assert comparison.left_out == ()
    ours, _, chroma = comparison.systems
    assert ours.score("row", "50 words").value == 1.0  # type: ignore[union-attr]
    assert chroma.score("row", "hit@1").value == 1.0  # type: ignore[union-attr]
    assert ours.answers is not None
    assert (ours.answers.answerable, ours.answers.unanswerable) == (3, 1)

    page = (docs / PAGE).read_text("utf-8")
    assert with_results(page, results) == page
    assert "## Books of `harbours`" in page
    assert (docs / picture_name(comparison)).read_text("utf-8").count("<polyline") == 3
    assert "\n".join(comparison_lines(comparison, picture=True)) in page


def test_a_later_run_replaces_only_what_it_measured() -> None:
    results = Results.read(RESULTS_FOLDER / RESULTS)
    first = results.comparisons[0]
    newer = Results((replace(first, day="2030-01-01"), replace(first, books="other", kind="sealed")), results.cards)
    updated = results.updated(newer)
    assert [entry.books for entry in updated.comparisons].count("other") == 1
    assert len(updated.comparisons) == len(results.comparisons) + 1
    assert updated.comparisons[0].day == "2030-01-01"
    assert updated.packages == results.packages
    assert f"## Sealed books, {first.day}" in with_results(PAGE_TEXT, updated)


def test_a_section_is_not_replaced_by_one_with_fewer_systems(run: Callable[..., Ran], books: Path) -> None:
    done = run("benchmark", "--system", "fts5", "--write", "--docs", RESULTS_FOLDER)
    assert done.status == 2
    assert "the section of shelf with minilm would lose default, bm25" in done.err
    Results.read(RESULTS_FOLDER / RESULTS).require_systems([books.name], ["wordllama"], ["fts5"])


def test_a_page_without_its_markers_is_refused_before_anything_is_measured(
    run: Callable[..., Ran], books: Path, tmp_path: Path
) -> None:
    (tmp_path / PAGE).write_text("# Mine\n")
    done = run("benchmark", "--books", books, "--system", "fts5", "--write", "--docs", tmp_path)
    assert done.status == 2
    assert "put the markers back, or write elsewhere with --docs" in " ".join(done.err.split())
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [PAGE]


def test_a_run_in_which_every_system_failed_is_told_and_fails(
    run: Callable[..., Ran], books: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("import a_module_that_nobody_has\n")
    done = run("benchmark", "--books", books, "--system", tmp_path / "mine.py:Mine")
    assert done.status == 1
    assert "pip install a_module_that_nobody_has" in " ".join(done.out.split())


def test_a_folder_that_is_not_there_is_told(run: Callable[..., Ran], tmp_path: Path) -> None:
    done = run("benchmark", "--books", tmp_path / "none")
    assert done.status == 2


@pytest.mark.parametrize("text", ["--write", "--embedder minilm", "--books mybooks"])
def test_the_options_of_the_page_are_shown(run: Callable[..., Ran], text: str) -> None:
    assert text in PAGE_TEXT
    assert text.split(maxsplit=1)[0] in run("benchmark", "--help").out
