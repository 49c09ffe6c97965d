import sys

import pytest

from retrieval.query_must import Canonical, satisfies_query_must
from retrieval.query_must.siblings import Siblings
from tools.bench import fuzz
from tools.bench.fuzz import main, run_fuzz


def test_the_compiled_index_agrees_with_the_plain_meaning() -> None:
    report = run_fuzz(2_000, seed=7)
    assert report.disagreements == ()
    assert report.cases == 2_000


def test_both_answers_are_frequent_enough_to_mean_something() -> None:
    report = run_fuzz(2_000, seed=8)
    assert 0.1 < report.admitted / report.cases < 0.7


def test_a_seed_gives_the_same_cases() -> None:
    assert run_fuzz(400, seed=3).admitted == run_fuzz(400, seed=3).admitted
    assert run_fuzz(400, seed=3).admitted != run_fuzz(400, seed=4).admitted


def test_a_difference_is_found_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_ranges(question: Canonical, text: str, rivals: Siblings | None = None) -> bool:
        return "contain_range" not in text and satisfies_query_must(question, text, rivals=rivals)

    monkeypatch.setattr(fuzz, "satisfies_query_must", without_ranges)
    report = run_fuzz(400)
    assert report.disagreements
    for case in report.disagreements:
        assert case.admitted
        assert satisfies_query_must(case.question, case.query_must)
        assert "contain_range" in case.query_must


def test_the_command_says_how_many_cases_agree(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz_predicates", "--cases", "200"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0
    assert "200 cases, seed 0" in capsys.readouterr().out
