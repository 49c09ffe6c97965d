"""."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals.acceptance import Bound, SavedScores, changes, judged
from evals.errors import AcceptanceError
from retrieval.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evals.scored_questions import ScoredQuestion


def test_a_bound_is_the_least_where_more_is_better_and_the_most_where_less_is() -> None:
    least, most = Bound.parse("mrr=0.85"), Bound.parse(" noise@15 = 3 ")
    assert (least, str(least)) == (Bound("mrr", 0.85), "mrr at least 0.85")
    assert (most, str(most)) == (Bound("noise@15", 3), "noise@15 at most 3")
    assert [least.holds(score) for score in (0.85, 0.8499, 1.0)] == [True, False, True]
    assert [most.holds(score) for score in (3, 3.1, 0)] == [True, False, True]


def test_a_score_that_is_undefined_reaches_nothing() -> None:
    bounds = (Bound("mrr", 0.0), Bound("hit@1", 0.5))
    assert [each.holds for each in judged(bounds, {"hit@1": 0.5})] == [False, True]


@pytest.mark.parametrize("text", ["mrr", "mrr=", "mrr=high", "mrr=85", "mrr=-0.1", "mrr=nan", "noise@15=inf", "f1=1.1"])
def test_what_no_score_can_be_on_both_sides_of_is_one_sentence(text: str) -> None:
    with pytest.raises(AcceptanceError, match=r"write (METRIC=NUMBER|a number)") as caught:
        Bound.parse(text)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_metric_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no metric is called 'mmr'; did you mean 'mrr'\? there are: .*mrr"):
        Bound.parse("mmr=0.85")


if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.scored_questions import ScoredQuestion

    Row = Callable[..., ScoredQuestion]


def names(moved: object) -> list[tuple[str, int | None, int | None]]:
    return [(each.row.question_id, each.before, each.after) for each in moved]  # type: ignore[attr-defined]


def test_a_question_is_gained_lost_or_moved(make_row: Row) -> None:
    before = {"same": 1, "gained": 4, "lost": 1, "up": 9, "down": 2, "away": 3, "none": 0}
    after = {"same": 1, "gained": 1, "lost": 3, "up": 5, "down": None, "away": 3, "none": 0}
    result = changes("then", *([make_row(*each) for each in side.items()] for side in (after, before)))
    assert names(result.gained) == [("gained", 4, 1)]
    assert names(result.lost) == [("lost", 1, 3)]
    assert names(result.moved) == [("up", 9, 5), ("down", 2, None)]
    assert [each.better for each in result.moved] == [True, False]
    assert (result.n_shared, result.added, result.n_gone, result.baseline) == (7, (), 0, "then")


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
    result = changes("then", after, before)
    assert len(result.gained) == 40
    assert result.worse == ()


def test_a_question_with_another_text_is_another_question(make_row: Row) -> None:
    before = [make_row("q1", 1), make_row("q2", 1), make_row("old", 1)]
    after = [make_row("q1", 1), make_row("q2", 9, "asked in other words")]
    result = changes("then", after, before)
    assert (result.n_shared, result.lost, result.n_gone) == (1, (), 2)
    assert [row.question_id for row in result.added] == ["q2"]


def test_a_baseline_of_other_questions_is_refused(make_row: Row) -> None:
    with pytest.raises(AcceptanceError, match="the baseline is about other questions") as caught:
        changes("then", [make_row("q1")], [make_row("p1")])
    assert "\n" not in str(caught.value)


def test_questions_without_gold_are_compared_with_nothing(make_row: Row) -> None:
    result = changes("then", [make_row("q1", 0)], [make_row("q1", 0)])
    assert (result.n_shared, result.comparisons, result.worse) == (1, (), ())


def test_what_is_read_is_what_was_written_without_long_rankings_and_times(
    make_row: Callable[..., ScoredQuestion], tmp_path: Path
) -> None:
    rows = [make_row("q1", 3), make_row("q2", strategy="bm25"), make_row("größer")]
    SavedScores.of("snap", rows).write(tmp_path / "one.json")
    SavedScores.of("snap", [replace(row, milliseconds=9.0) for row in rows]).write(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    result = SavedScores.read(tmp_path / "one.json")
    assert result.snapshot == "snap"
    assert [row.gold_rank for row in result.rows] == [3, 1, 1]
    assert result.rows[0].chunk_ids == ("a",)
    assert result.rows[0].deep_chunk_ids == ()
    assert [row.question_id for row in result.of_strategy("default")] == ["q1", "größer"]


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"format": "querymust scores 1", "snapshot": 3}', "\x00"])
def test_another_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(AcceptanceError, match="does not hold saved scores") as caught:
        SavedScores.read(path)
    assert "\n" not in str(caught.value)


def test_a_folder_and_another_format_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AcceptanceError, match="cannot be read"):
        SavedScores.read(tmp_path)
    replace(SavedScores.of("snap", []), format="querymust scores 99").write(tmp_path / "new.json")
    with pytest.raises(AcceptanceError, match="holds 'querymust scores 99'"):
        SavedScores.read(tmp_path / "new.json")
