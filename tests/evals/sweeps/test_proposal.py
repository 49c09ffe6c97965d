"""What a sweep proposes: the best value, if it is better beyond chance and the gate has nothing against it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evals.evaluation import Evaluation
from evals.experiment import Experiment
from evals.scored_questions import ScoredQuestion
from evals.statistics.aggregates import aggregate
from evals.sweeps.proposal import propose
from evals.sweeps.sweep import Point, Tried


def scored(value: float, ranks: list[int], **given: object) -> Point:
    """A strategy that finds the gold of each question at these ranks."""
    rows = tuple(
        replace(
            ScoredQuestion(
                "set",
                "people",
                "s",
                f"q{at:02}",
                "b",
                "lookup",
                f"ask {at}",
                ("g",),
                ("g",),
                ("g",),
                (1.0,),
                (),
                *[None] * 3,
                "",
            ),
            values={"mrr": 1 / rank, "hit@1": float(rank == 1)},
            **given,
        )
        for at, rank in enumerate(ranks)
    )
    experiment = Experiment("snapshot", rows, aggregate(rows), (), ())
    mrr = sum(1 / rank for rank in ranks) / len(ranks)
    return Point(Tried(value, mrr, None, None, None, len(ranks)), Evaluation("snapshot", (), experiment))


WORSE, BETTER = [2] * 20, [1] * 20


def test_a_value_that_is_better_beyond_chance_is_proposed() -> None:
    found = propose("s", "weight", 0.4, [scored(0.4, WORSE), scored(0.5, BETTER)])
    assert found is not None
    assert found.worth_it
    assert str(found).startswith("propose s: weight 0.5 instead of 0.4: mrr 0.500 to 1.000 (+0.500, p 0.0")


def test_a_value_that_excludes_gold_is_refused_by_the_gate() -> None:
    found = propose("s", "weight", 0.4, [scored(0.4, WORSE), scored(0.5, BETTER, excluded_gold=("g",))])
    assert found is not None
    assert not found.worth_it
    assert found.significant
    assert "the gate refuses it: no_false_exclusions" in str(found)


def test_a_value_that_chance_may_explain_is_not_proposed() -> None:
    found = propose("s", "weight", 0.4, [scored(0.4, [2, *BETTER]), scored(0.5, [1, *BETTER])])
    assert found is not None
    assert (found.best, found.worth_it) == (0.5, False)
    assert "chance may explain that" in str(found)


@pytest.mark.parametrize(("values", "best"), [((0.1, 0.3, 0.4), 0.3), ((0.3, 0.4, 0.5), 0.3), ((0.2, 0.4, 0.5), 0.5)])
def test_of_equal_values_the_nearest_is_the_best_then_the_smaller(values: tuple[float, ...], best: float) -> None:
    points = [scored(value, WORSE if value == 0.4 else BETTER) for value in values]
    found = propose("s", "weight", 0.4, points)
    assert found is not None
    assert found.best == best


def test_a_value_that_is_as_good_as_the_current_one_changes_nothing() -> None:
    found = propose("s", "weight", 0.4, [scored(0.4, BETTER), scored(0.5, BETTER)])
    assert found is not None
    assert found.best == found.current == 0.4
    assert found.p is None


def test_without_scores_there_is_no_proposal() -> None:
    assert propose("s", "weight", 0.4, []) is None
    assert propose("s", "weight", 0.4, [Point(Tried(0.4, None, None, None, None, 0), Evaluation("snapshot"))]) is None


def test_it_is_kept_with_its_curve(tmp_path: Path) -> None:
    points = [scored(0.4, WORSE), scored(0.5, BETTER)]
    found = propose("s", "weight", 0.4, points)
    assert found is not None
    found.write(tmp_path / "weight.json", points)
    kept = json.loads((tmp_path / "weight.json").read_text())
    assert kept["says"] == str(found)
    assert [each["value"] for each in kept["curve"]] == [0.4, 0.5]
