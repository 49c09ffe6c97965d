"""Which strategy is named beside a leaderboard."""

import pytest

from pipeline.console.leaderboard import print_better_strategy

BOARD = {"bm25": {"mrr": 0.5}, "hybrid": {"mrr": 0.75}, "default": {"mrr": 0.625}, "dense": {"mrr": None}}


@pytest.mark.parametrize("used", ["default", "bm25"])
def test_a_better_strategy_is_named_with_how_to_choose_it(used: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_better_strategy(BOARD, used)
    told = capsys.readouterr().out.strip()
    assert told.startswith(f"hybrid has a higher mrr than {used} here (0.750, {BOARD[used]['mrr']:.3f}).")
    assert "`strategy: hybrid` into rag.yaml" in told
    assert told.endswith("--strategy hybrid.")


@pytest.mark.parametrize(
    ("board", "used"),
    [
        pytest.param(BOARD, "hybrid", id="the best is used"),
        pytest.param({"bm25": {"mrr": 0.5}, "default": {"mrr": 0.5}}, "default", id="none is better"),
        pytest.param(BOARD, "iterative", id="what is used was not scored"),
        pytest.param({}, "default", id="nothing was scored"),
    ],
)
def test_nothing_is_said_where_there_is_nothing_to_choose(
    board: dict[str, dict[str, float | None]], used: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_better_strategy(board, used)
    assert capsys.readouterr().out == ""
