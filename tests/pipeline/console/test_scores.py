"""Which strategy is named beside a leaderboard."""

from datetime import UTC, datetime, timedelta

import pytest

from evals.verdicts import GateState
from pipeline.console.scores import ago, gate_lines, print_better_strategy

BOARD = {"bm25": {"mrr": 0.5}, "hybrid": {"mrr": 0.75}, "default": {"mrr": 0.625}, "dense": {"mrr": None}}


@pytest.mark.parametrize("used", ["default", "bm25"])
def test_a_better_strategy_is_named_with_how_to_choose_it(used: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_better_strategy(BOARD, used, 30)
    told = capsys.readouterr().out.strip()
    assert told.startswith(f"hybrid has a higher mrr than {used} here (0.750, {BOARD[used]['mrr']:.3f}).")
    assert "`strategy: hybrid` in the home's rag.yaml" in told
    assert told.endswith("--strategy hybrid.")


@pytest.mark.parametrize(
    ("board", "used", "n_questions"),
    [
        pytest.param(BOARD, "hybrid", 30, id="the best is used"),
        pytest.param({"bm25": {"mrr": 0.5}, "default": {"mrr": 0.5}}, "default", 30, id="none is better"),
        pytest.param(BOARD, "iterative", 30, id="what is used was not scored"),
        pytest.param({}, "default", 30, id="nothing was scored"),
        pytest.param(BOARD, "default", 29, id="too few questions"),
    ],
)
def test_nothing_is_said_where_there_is_nothing_to_choose(board, used, n_questions, capsys):
    print_better_strategy(board, used, n_questions)
    assert capsys.readouterr().out == ""


NOW = datetime(2030, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (-5, "just now"),
        (60, "1 minute ago"),
        (7_199, "1 hour ago"),
        (3 * 86_400, "3 days ago"),
        (15 * 86_400, "2 weeks ago"),
    ],
)
def test_an_age_is_told_in_words(seconds: int, said: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == said


def test_each_verdict_is_a_line_and_each_reason_another() -> None:
    assert list(gate_lines(GateState("refused", "one", None, ("a: it is",)))) == [
        ("gate", "refused; the live index has not changed"),
        ("", "a: it is"),
    ]
    forced = GateState("forced", "one", None, ("a: it is",), "the edition changed")
    assert next(gate_lines(forced)) == ("gate", "live by force: the edition changed")
    warned = GateState("held", "one", None, (), warnings=("a: it is",))
    assert list(gate_lines(warned)) == [("gate", "every blocking check passed"), ("", "warning: a: it is")]
    assert list(gate_lines(GateState("not judged", None, None, ()))) == []
