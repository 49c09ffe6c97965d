import json

import pytest
from typer.testing import CliRunner

from retrieval.query_must.predicate import parse_query_must, satisfies_query_must
from tools.bench import predicates as timing
from tools.bench.predicates import run_predicates, synthetic_predicates, synthetic_questions
from tools.cli import app


def test_predicates_have_three_groups_and_a_fifth_of_them_a_range() -> None:
    predicates = [json.loads(text) for text in synthetic_predicates(1000, seed=3)]
    assert {len(predicate["contain_one_of"]) + ("contain_range" in predicate) for predicate in predicates} == {3}
    assert sum("contain_range" in predicate for predicate in predicates) == 200
    assert len({json.dumps(predicate) for predicate in predicates}) == 1000


def test_half_of_the_questions_name_one_row() -> None:
    predicates = [parse_query_must(text, strict=True) for text in synthetic_predicates(400, seed=3)]
    questions = synthetic_questions(400, 40, seed=3)
    named = [sum(satisfies_query_must(question, predicate) for predicate in predicates) for question in questions]
    assert {len(question.split()) for question in questions} <= set(range(8, 21))
    assert named[::2] == [1] * 20
    assert named[1::2] == [0] * 20


def test_both_ways_agree_and_a_sample_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LOOPED_PREDICATES", 300)
    report = run_predicates(1000, questions=20)
    assert (report.disagreements, report.looped, report.admitted_mean) == (0, 300, 0.5)
    assert report.ratio == pytest.approx(report.loop_ms / report.compiled_ms)
    assert "measured on 300 and scaled" in "\n".join(report.lines())


def test_the_command_prints_one_object() -> None:
    done = CliRunner().invoke(app, ["bench", "predicates", "--n", "500", "--json"], catch_exceptions=False)
    report = json.loads(done.stdout)
    assert report["n"] == 500
    assert report["disagreements"] == 0
    assert {"compiled_ms", "loop_ms", "ratio", "build_seconds", "load_seconds", "load_megabytes"} <= set(report)
