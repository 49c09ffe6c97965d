"""How many chunks are shown."""

from evals.noise import Relatives
from evals.scored_questions import ScoredQuestion
from evals.sweeps.shown import enough, shown_at
from tests.evals.conftest import build_chunk

RELATIVES = Relatives.of([build_chunk(f"g{number}") for number in range(10)])


def row(gold: str, ranking: str) -> ScoredQuestion:
    ids = tuple(ranking.split())
    return ScoredQuestion(
        "s", "p", "x", gold, "b", "k", "?", tuple(gold.split()), ids, ids, (), (), None, None, None, ""
    )


ROWS = [row("g0", "g1 g0 g2"), row("g3 g4", "g3 g1 g4"), row("", "g1 g2 g3")]


def test_more_chunks_show_more_gold_and_more_siblings() -> None:
    found = shown_at(ROWS, RELATIVES, [1, 2, 3])
    assert [each.recall for each in found] == [(0 + 1 / 2) / 2, (1 + 1 / 2) / 2, 1.0]
    assert [each.noise for each in found] == [(1 + 0) / 2, (1 + 1) / 2, (2 + 1) / 2]


def test_enough_is_the_least_that_shows_as_much() -> None:
    found = shown_at(ROWS, RELATIVES, [1, 2, 3, 10])
    assert enough(found, 10) == 3
    assert enough(found, 2) == 2


def test_without_gold_nothing_is_shown() -> None:
    assert shown_at(ROWS[2:], RELATIVES) == ()
