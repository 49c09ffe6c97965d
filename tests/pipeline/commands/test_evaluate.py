"""`querymust eval` as a person reads it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer.main
from rich.console import Console

from evals.aggregates import Aggregate
from evals.leaderboard import Leaderboard
from pipeline.cli import app
from pipeline.commands.evaluate import print_scores_of_build
from pipeline.console import scores
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch, sample: Home) -> Run:
    """`querymust eval` over the sample with `default`, in a terminal of so many columns: status, output, errors."""

    def runner(*arguments: object, columns: int = 80) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        return run("eval", "--home", sample.root, "--strategy", "default", *arguments)

    return runner


@pytest.fixture
def half_stale(sample: Home, tmp_path: Path) -> Path:
    """Two questions of the sample; the first has a condition that no document meets, a row of the second is gone."""
    lines = [json.loads(line) for line in sample.settings.questions[0].read_text("utf-8").splitlines()[:2]]
    lines[0]["query"] += " See documents updated before 2001."
    lines[1]["gold"][0]["snippet"] = "| 3 | no such row |"
    path = tmp_path / "half.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.parametrize(("columns", "metrics"), [(80, 3), (120, 5)])
def test_scores_by_kind_and_book_fit_the_terminal(run: Run, columns: int, metrics: int) -> None:
    status, out, _ = run("--failures", columns=columns)
    assert status == 0
    assert max(map(len, out.splitlines())) <= columns
    lines = out.split("default by kind, with 95 % intervals")[1].split("default by book")
    heads = [block.strip().splitlines()[0].split() for block in lines]
    assert [len(head) for head in (heads[0], lines[1].strip().splitlines()[2].split())] == [2 + metrics] * 2
    names = [line.split()[0] for line in lines[0].strip().splitlines()[1:]]
    assert names == ["all", "comparison", "matrix-lookup", "no-answer", "rule"]


def test_a_score_stands_with_its_interval_and_what_it_rests_on(run: Run) -> None:
    _, out, _ = run("--json")
    record = json.loads(out)
    whole = {each["metric"]: each for each in record["breakdown"] if each["book"] == each["kind"] == "*"}
    assert {name: each["value"] for name, each in whole.items() if name == "mrr"} == {
        "mrr": pytest.approx(record["strategies"]["default"]["mrr"], abs=1e-6)
    }
    assert whole["mrr"]["low"] < whole["mrr"]["value"] < whole["mrr"]["high"]
    assert "failures" not in record
    shown = run()[1]
    number = whole["hit@1"]
    assert f"{number['n']}  {number['value']:.3f} {number['low']:.2f}–{number['high']:.2f}" in shown


def test_failures_are_those_of_hit_at_1_and_the_same_in_json(run: Run) -> None:
    record = json.loads(run("--failures", "--json")[1])
    failed = record["failures"]["questions"]
    assert record["failures"]["metric"] == "hit@1"
    query = next(each["n"] for each in record["breakdown"] if each["metric"] == "hit@1")
    assert 1 - len(failed) / query == pytest.approx(record["strategies"]["default"]["hit@1"])
    assert all(each["gold_rank"] != 1 and each["gold"] and each["first"] not in each["gold"] for each in failed)
    shown = run("--failures")[1]
    assert f"{len(failed)} of {query} questions with gold fail hit@1" in shown
    assert all(f"\n{each['id']}  {each['kind']}, gold at rank {each['gold_rank']}\n" in shown for each in failed)


def test_stale_gold_is_status_1_after_the_scores_with_file_and_id(run, half_stale, sample_copy):
    status, out, errors = run("--questions", half_stale, "--home", sample_copy.root)
    assert status == 1
    assert "default by kind" in out
    assert "1 of 1 questions with conditions on metadata had one dropped" in out
    assert f"stale gold, not scored: {half_stale}: sample-002: " in errors
    status, out, _ = run("--questions", half_stale, "--home", sample_copy.root, "--json")
    assert status == 1
    record = json.loads(out)
    (stale,) = record["stale"]
    assert (stale["file"], stale["id"], stale["scored"]) == (str(half_stale), "sample-002", False)
    (given_up,) = record["relaxation"]["patterns"]
    assert (record["relaxation"]["rate"], given_up["field"], given_up["count"]) == (1.0, "last_update_date", 1)


def test_a_file_that_resolves_nowhere_is_named(run: Run, half_stale: Path) -> None:
    half_stale.write_text(half_stale.read_text("utf-8").splitlines()[1])
    status, out, errors = run("--questions", half_stale)
    assert (status, out) == (2, "")
    assert f"error: {half_stale}: none of 1 questions with gold resolves" in errors


@pytest.mark.parametrize(("used", "is_told"), [("bm25", True), ("default", False)])
def test_a_better_strategy_than_the_chosen_one_is_named_below_the_scores(run, sample_copy, used, is_told):
    (sample_copy.root / "rag.yaml").write_text(f"strategy: {used}\n")
    out = run("--strategy", "bm25", "--home", sample_copy.root)[1]
    assert ("write `strategy: default` in the home's rag.yaml" in " ".join(out.split())) is is_told


def test_help_says_what_a_run_holds() -> None:
    command = typer.main.get_command(app).commands["eval"]  # type: ignore[attr-defined]
    shown = " ".join(command.get_help(command.make_context("eval", [], resilient_parsing=True)).split())
    assert "A run contains 100 results; f1, precision@15, noise@15 use only the 15 that are shown" in shown


def test_after_a_build_what_ships_and_bm25_are_shown(sample: Home, capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = str(live_id(sample.root))
    print_scores_of_build(sample, snapshot)
    shown = capsys.readouterr().out
    kept = Leaderboard.read(sample.evaluations / snapshot)
    lines = {line.split()[0]: line.split()[1] for line in shown.splitlines() if line.startswith(("bm25", "default"))}
    assert lines == {name: f"{kept.strategies[name]['hit@1']:.3f}" for name in ("bm25", "default")}
    assert "dense" not in shown
    assert f"querymust eval --failures --home {sample.root}" in shown
    assert "stale" not in shown


def test_without_questions_a_build_shows_no_scores(tiny: Home, capsys: pytest.CaptureFixture[str]) -> None:
    print_scores_of_build(tiny, str(live_id(tiny.root)))
    assert capsys.readouterr().out == ""


def test_a_build_says_how_much_gold_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    scores.print_short_leaderboard({"default": {"hit@1": 0.5, "evaluability": 0.975}}, 39, "querymust eval")
    assert "39 questions; the gold of 2.5% is stale. By kind" in capsys.readouterr().out


def test_a_long_kind_is_cut_and_an_undefined_number_is_a_dash(monkeypatch, capsys):
    monkeypatch.setattr(scores, "out", Console(width=80, highlight=False))
    number = Aggregate("*", "*", "*", "*", "default", "hit@1", 0.5, 0.25, 0.75, 8)
    long = replace(number, kind="k" * 60, value=None, low=None, high=None)
    scores.print_breakdown("default", [number, long])
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("k" * 20) and "…" in line and " - " in line for line in lines)
    assert max(map(len, lines)) <= 80
    assert not any("by book" in line for line in lines)


def test_a_verdict_is_in_the_json_and_in_the_status(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    assert run("--save", saved, "--fail-under", "mrr=0.5")[0] == 0
    status, out, errors = run(
        "--baseline", saved, "--fail-under", "hit@1=0.99", "--fail-under", "noise@15=15", "--json"
    )
    assert status == 1
    assert errors == ""
    (result,) = json.loads(out)["verdicts"]
    assert result["passed"] is False
    assert [(each["metric"], each["holds"]) for each in result["bounds"]] == [("hit@1", False), ("noise@15", True)]
    assert {key: result["changes"][key] for key in ("gained", "lost", "moved", "gone", "worse")} == {
        "gained": [],
        "lost": [],
        "moved": [],
        "gone": 0,
        "worse": [],
    }
    assert [record["id"] for record in json.loads(out)["failures"]["questions"]]


def test_a_question_that_is_lost_is_named_with_its_ranks(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    run("--save", saved)
    record = json.loads(saved.read_text("utf-8"))
    (row,) = [row for row in record["rows"] if row["question_id"] == "sample-042"]
    rank = round(1 / row["values"]["mrr"])
    assert rank > 1
    row["values"] |= {"hit@1": 1.0, "mrr": 1.0}
    saved.write_text(json.dumps(record), "utf-8")
    status, out, _ = run("--baseline", saved)
    assert status == 0, "one question is not told from chance"
    assert "on 109 questions: 0 gained, 1 lost, 0 moved" in out
    assert f"  lost  sample-042: rank 1 to {rank}: {row['query']}" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--fail-under", "mmr=0.5"), "no metric is called 'mmr'; did you mean 'mrr'? available: "),
        (("--fail-under", "mrr=often"), "write a number from 0 to 1"),
        (("--baseline", "FOLDER/none.json"), "no such file: "),
        (("--baseline", "FOLDER"), "cannot be read"),
        (("--baseline", "FOLDER/other.json"), "does not hold saved scores"),
        (("--junit", "FOLDER/other.json/scores.xml"), "cannot be written"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(run, tmp_path, arguments, sentence):
    (tmp_path / "other.json").write_text("[]")
    status, out, errors = run(*(argument.replace("FOLDER", str(tmp_path)) for argument in arguments))
    assert (status, out) == (2, "")
    assert errors.startswith("error: ")
    assert sentence in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_baseline_of_another_strategy_is_refused(run: Run, tmp_path: Path) -> None:
    run("--save", tmp_path / "saved.json")
    status, _, errors = run("--strategy", "bm25", "--baseline", tmp_path / "saved.json")
    assert status == 2
    assert "the baseline has no scores of bm25, only of default" in errors


def test_answers_are_scored_by_kind_against_those_in_the_file(run: Run, sample_copy: Home, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in sample_copy.settings.questions[0].read_text("utf-8").splitlines()]
    look_ups = [line | {"answer": "10"} for line in lines if line["query"].startswith("What does a 7th level cleric")][
        :1
    ]
    path = tmp_path / "answers.jsonl"
    pasta = {"id": "pasta", "query": "How do I cook pasta?", "kind": "no-answer", "gold": []}
    other = look_ups[0] | {"id": "other", "answer": "11"}
    path.write_text("\n".join(map(json.dumps, (*look_ups, other, pasta))))
    status, out, _ = run("--home", sample_copy.root, "--answers", "--questions", path)
    assert status == 0
    assert "To list the stated answers that are not right (1): add --failures" in out
    listed = run("--home", sample_copy.root, "--answers", "--failures", "--questions", path)[1]
    assert "other  matrix-lookup, wrong" in listed
    assert f"stated  {look_ups[0]['answer']}\n  answer  11" in listed
    assert "| matrix-lookup | 2 | 0.500 |" in out
    assert "| no-answer | 1 | 0.000 | 0.000 | 0.000 | 0.000 | 0.000 | 1.000 |" in out
    record = json.loads(run("--home", sample_copy.root, "--answers", "--json", "--questions", path)[1])
    assert [(score["kind"], score["n"]) for score in record["answers"]] == [
        ("matrix-lookup", 2),
        ("no-answer", 1),
        ("all with an answer", 2),
    ]
    assert [(answer["id"], answer["outcome"]) for answer in record["answered"]][1:] == [
        ("other", "wrong"),
        ("pasta", "refused"),
    ]
