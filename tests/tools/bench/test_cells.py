from collections.abc import Sequence

import pytest

from evals.scored_questions import ScoredQuestion
from evals.significance import paired_randomisation
from tools.bench.cells import CELL_METRICS, Cell, cells


def row(strategy: str, number: int, value: float, **given: str) -> ScoredQuestion:
    key = {"set": "s", "split": "open", "book": "one", "kind": "matrix-lookup"} | given
    return ScoredQuestion(
        **key,
        strategy=strategy,
        question_id=f"q{number}",
        query="",
        gold=() if key["kind"] == "no-answer" else ("g",),
        chunk_ids=(),
        deep_chunk_ids=(),
        deep_scores=(),
        excluded_gold=(),
        unfiltered_noise=None,
        unfiltered_guarded_noise=None,
        unfiltered_recall=None,
        why="",
        values=dict.fromkeys(CELL_METRICS, value),
    )


def rows(strategy: str, values: Sequence[float], **given: str) -> list[ScoredQuestion]:
    return [row(strategy, number, value, **given) for number, value in enumerate(values)]


def cell(found: Sequence[Cell], set_: str, book: str, sort: str = "look-up") -> Cell:
    (only,) = (each for each in found if (each.set, each.book, each.sort, each.metric) == (set_, book, sort, "hit@1"))
    return only


def test_a_cell_is_the_strategy_the_best_other_one_and_their_p() -> None:
    mine, best = [1, 0, 0, 1], [1, 1, 1, 1]
    result = cells([*rows("bm25", [1, 0, 1, 1]), *rows("fts5", best), *rows("default", mine)])
    assert cell(result, "s", "one") == Cell(
        *("s", "open", "one", "look-up", "hit@1", 4, 0.5, "fts5", 1.0), paired_randomisation(mine, best), ()
    )


def test_only_a_difference_beyond_chance_is_marked_and_whoever_is_ahead_is_named() -> None:
    behind = [*rows("a", [1] * 20), *rows("b", [1] * 12 + [0] * 8), *rows("c", [1] + [0] * 19)]
    result = cell(cells([*behind, *rows("default", [0] * 20)]), "s", "one")
    assert (result.other, result.ahead) == ("a", ("a", "b"))
    assert result.p < 0.05
    few = cell(cells([*rows("a", [1, 1, 1]), *rows("default", [0, 0, 0])]), "s", "one")
    assert few.ahead == ()


def test_being_better_is_no_mark() -> None:
    result = cell(cells([*rows("a", [0] * 20), *rows("default", [1] * 20)]), "s", "one")
    assert result.p < 0.05
    assert result.ahead == ()


def test_of_equal_others_the_surest_is_shown_and_then_the_first() -> None:
    mine = [1, 1, 0, 0, 0, 0]
    others = [*rows("swaps", [0, 0, 1, 1, 1, 1]), *rows("adds", [1, 1, 1, 1, 0, 0]), *rows("twin", [1, 1, 1, 1, 0, 0])]
    assert cell(cells([*others, *rows("default", mine)]), "s", "one").other == "adds"


def test_look_ups_and_rules_are_apart_and_other_kinds_are_in_no_cell() -> None:
    kinds = {"matrix-lookup": "look-up", "generated-lookup": "look-up", "rule": "rule", "generated-section": "rule"}
    for kind, sort in kinds.items():
        result = cells([*rows("a", [1], kind=kind), *rows("default", [0], kind=kind)])
        assert {each.sort for each in result} == {sort}
    for kind in ("comparison", "no-answer"):
        assert cells([*rows("a", [1], kind=kind), *rows("default", [0], kind=kind)]) == ()


def test_books_are_pooled_in_their_set_and_sets_together_by_question() -> None:
    def score_strategy(
        strategy: str, one: Sequence[float], two: Sequence[float], other: Sequence[float]
    ) -> list[ScoredQuestion]:
        second = [row(strategy, number + 10, value, book="two") for number, value in enumerate(two)]
        return [*rows(strategy, one), *second, *rows(strategy, other, set="t", book="three")]

    result = cells([*score_strategy("default", [1, 1, 1], [0], [0]), *score_strategy("a", [0, 0, 0], [1], [1])])
    places = dict.fromkeys((each.set, each.book) for each in result)
    assert list(places) == [("s", "one"), ("s", "two"), ("s", "*"), ("t", "three"), ("t", "*"), ("*", "*")]
    assert (cell(result, "s", "*").n, cell(result, "s", "*").value) == (4, 0.75)
    assert (cell(result, "*", "*").n, cell(result, "*", "*").value) == (5, 0.6)


def test_one_set_is_not_pooled_with_itself() -> None:
    assert {cell.set for cell in cells([*rows("a", [1]), *rows("default", [0])])} == {"s"}


@pytest.mark.parametrize("asked", [["default"], ["bm25", "fts5"]])
def test_without_the_strategy_or_another_one_there_are_no_cells(asked: list[str]) -> None:
    assert cells([row for name in asked for row in rows(name, [1, 0])]) == ()
