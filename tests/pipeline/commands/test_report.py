"""`querymust report` as a person runs it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.report.page import page
from pipeline.report.report import report_of
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES
from tests.pipeline.conftest import Ran


def test_it_writes_where_it_is_told_and_answers_four_questions(sample, tmp_path, monkeypatch, run):
    path = tmp_path / "scores.html"
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    monkeypatch.setattr("pipeline.report.questions.RANKINGS", 12)
    status, printed, _ = run("report", "--home", sample.root, "--out", path, "--no-times")
    assert status == 0
    assert printed.startswith(f"wrote {path} (")
    assert printed.count("?\n") == 4
    assert shown == []
    same = path.read_bytes() == page(report_of(sample, times=False)).encode()
    assert same
    assert not (sample.root / "report.html").exists()


def test_it_lies_in_the_home_and_opens(tiny: Home, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Ran]) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    done = run("report", "--home", tiny.root, "--open")
    assert (done.status, shown) == (0, [(tiny.root / "report.html").as_uri()])
    assert "report.html" in done.out


def test_a_home_without_an_index_is_one_clear_line(tmp_path: Path, run: Callable[..., Ran]) -> None:
    done = run("report", "--home", tmp_path)
    assert done.status == 2
    assert "no snapshot was built" in done.err


def test_expanded_gold_is_on_the_page_and_among_its_numbers(sample_copy, few_questions, tmp_path, monkeypatch, run):
    monkeypatch.setattr("pipeline.report.questions.RANKINGS", 12)
    query = tmp_path / "queries"
    query.mkdir()
    some = few_questions.read_text("utf-8").splitlines(keepends=True)[::4]
    (query / few_questions.name).write_text("".join(some), "utf-8")
    flags = ["--best-practice-eval", "--expand-gold"]
    where = ["--queries-dir", query, "--model-id", "minilm", "--report-dir", tmp_path / "out"]
    assert run("report", "--home", sample_copy.root, *where, *flags).status == 0
    assert (tmp_path / "out" / "report.html").is_file()
    result = json.loads((tmp_path / "out" / "report.json").read_text())
    assert set(result["strategies"]) == {*STRATEGIES}
    assert {line["strategy"] for line in result["expanded_gold"]} == {*STRATEGIES}
    assert all(line["delta"] >= 0 for line in result["expanded_gold"])
    assert result["questions"] == [few_questions.name]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--model-id", "nomic-embed-text-v2"], "querymust build --embedder st:nomic-ai/nomic-embed-text-v2-moe"),
        (["--model-id", "text-embedding-3-small"], "querymust build --embedder openai"),
        (["--model-id", "BAAI/bge-m3"], "querymust build --embedder st:BAAI/bge-m3"),
        (["--queries-dir", "nowhere"], "no such file"),
        (["--queries-dir", "."], "contains no questions"),
        (["--report-dir", "a", "--out", "b.html"], "not both"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(given, said, tiny, tmp_path, monkeypatch, run):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    done = run("report", "--home", tiny.root, *given)
    assert done.status == 2
    assert said in done.err
