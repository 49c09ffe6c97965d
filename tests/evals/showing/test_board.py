"""The leaderboard at a glance."""

from evals.evaluation import HEADLINE
from evals.showing.board import board
from evals.showing.since_live import SinceLive
from retrieval.search.strategies import STRATEGIES

SINCE = {
    "default": SinceLive(10, 0.9, 0.8),
    "bm25": SinceLive(10, 0.4, 0.45),
    "dense": SinceLive(10, 0.5, 0.5001),  # less than is shown is neither more nor less
}


def test_what_ships_is_bold_and_every_strategy_is_beside_what_is_live() -> None:
    headline = {
        "bm25": {"mrr": 0.4},
        "dense": {"mrr": 0.5},
        "iterative": {"mrr": 0.5},
        "default": {"mrr": 0.9, "noise@15": 3.25},
    }
    lines = board(headline, SINCE, "default").splitlines()
    assert lines[0] == "| strategy | mrr | mrr - live | hit@1 | hit@5 | noise@15 | false_exclusions |"
    assert lines[2:] == [
        "| bm25 | 0.400 | -0.050 | - | - | - | - |",
        "| dense | 0.500 | +0.000 | - | - | - | - |",
        "| iterative | 0.500 | - | - | - | - | - |",
        "| **default** | **0.900** | **+0.100** | **-** | **-** | **3.2** | **-** |",
    ]


def test_it_is_short_enough_to_be_shown_at_once() -> None:
    numbers = dict.fromkeys(HEADLINE, 0.123456)
    since = dict.fromkeys(STRATEGIES, SinceLive(1, 0.123456, 0.9))
    assert len(board(dict.fromkeys(STRATEGIES, numbers), since, "default")) < 1000


def test_without_questions_it_says_so() -> None:
    assert board({}, {}, "default") == "No questions were given, so nothing was scored."
