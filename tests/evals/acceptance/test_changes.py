from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evals.acceptance.changes import changes
from evals.errors import AcceptanceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.scored_questions import ScoredQuestion

    Row = Callable[..., ScoredQuestion]


def names(moved: object) -> list[tuple[str, int | None, int | None]]:
    return [(each.row.question_id, each.before, each.after) for each in moved]  # type: ignore[attr-defined]


def test_a_question_is_gained_lost_or_moved(make_row: Row) -> None:
    before = {"same": 1, "gained": 4, "lost": 1, "up": 9, "down": 2, "away": 3, "none": 0}
    after = {"same": 1, "gained": 1, "lost": 3, "up": 5, "down": None, "away": 3, "none": 0}
    found = changes("then", *([make_row(*each) for each in side.items()] for side in (after, before)))
    assert names(found.gained) == [("gained", 4, 1)]
    assert names(found.lost) == [("lost", 1, 3)]
    assert names(found.moved) == [("up", 9, 5), ("down", 2, None)]
    assert [each.better for each in found.moved] == [True, False]
    assert (found.n_shared, found.added, found.n_gone, found.baseline) == (7, (), 0, "then")


def test_few_lost_questions_are_not_told_from_chance_and_many_are(make_row: Row) -> None:
    def worse(lost: int) -> set[str]:
        before = [make_row(f"q{number}") for number in range(40)]
        after = [make_row(f"q{number}", 8 if number < lost else 1) for number in range(40)]
        return {each.metric for each in changes("then", after, before).worse}

    assert worse(2) == set()
    assert worse(12) == {"hit@1", "mrr"}


def test_getting_better_is_never_worse(make_row: Row) -> None:
    before = [make_row(f"q{number}", 5) for number in range(40)]
    after = [make_row(f"q{number}") for number in range(40)]
    found = changes("then", after, before)
    assert len(found.gained) == 40
    assert found.worse == ()


def test_a_question_with_another_text_is_another_question(make_row: Row) -> None:
    before = [make_row("q1", 1), make_row("q2", 1), make_row("old", 1)]
    after = [make_row("q1", 1), make_row("q2", 9, "asked in other words")]
    found = changes("then", after, before)
    assert (found.n_shared, found.lost, found.n_gone) == (1, (), 2)
    assert [row.question_id for row in found.added] == ["q2"]


def test_a_baseline_of_other_questions_is_refused(make_row: Row) -> None:
    with pytest.raises(AcceptanceError, match="the baseline is about other questions") as caught:
        changes("then", [make_row("q1")], [make_row("p1")])
    assert "\n" not in str(caught.value)


def test_questions_without_gold_are_compared_with_nothing(make_row: Row) -> None:
    found = changes("then", [make_row("q1", 0)], [make_row("q1", 0)])
    assert (found.n_shared, found.comparisons, found.worse) == (1, (), ())
