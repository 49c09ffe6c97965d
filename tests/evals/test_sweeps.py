"""What is swept, and what each value gives a strategy."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evals.aggregates import aggregate
from evals.evaluation import Evaluation, evaluate
from evals.experiment import Experiment
from evals.noise import Relatives
from evals.scored_questions import ScoredQuestion
from evals.sweeps import SWEEPS, Point, Tried, enough, propose, shown_at
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import strategy
from tests.evals.conftest import build_chunk


@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=list(SWEEPS))
def test_the_current_value_is_the_strategy_itself(sweep: object) -> None:
    assert sweep.vary(strategy(sweep.base), sweep.current) == strategy(sweep.base)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SWEEPS)
def test_every_value_is_another_strategy_and_the_current_one_is_among_them(name: str) -> None:
    sweep = SWEEPS[name]
    made = sweep.variants(())
    assert len({repr(each) for each in made}) == len(sweep.values)
    assert sweep.variant(sweep.current) in {each.name for each in made}
    assert sweep.tried([0.75]) == tuple(sorted((0.75, sweep.current)))


def test_the_two_ends_of_the_weight_of_hybrid_are_its_two_legs(sample: Home, few_questions: Path) -> None:
    sweep = SWEEPS["hybrid_weight"]
    with open_snapshot(sample.root, sample.candidate) as snapshot:
        embedder = load_embedder(snapshot.manifest.embedder.name)
        legs = (strategy("dense"), strategy("bm25"))
        scores = evaluate(snapshot, embedder, [few_questions], (*sweep.variants([0.0, 1.0]), *legs))
    headline = scores.headline()
    points = {point.tried.value: point for point in sweep.points(scores, [0.0, 1.0])}
    assert points[0.0].tried.mrr == pytest.approx(headline["dense"]["mrr"])
    assert points[1.0].tried.mrr == pytest.approx(headline["bm25"]["mrr"])
    assert points[0.4].scores.rows("hybrid")
    proposal = propose(sweep.base, sweep.parameter, sweep.current, tuple(points.values()))
    assert proposal is not None
    assert (proposal.best, proposal.worth_it) == (0.4, False)
    assert "no other value has a better mrr" in str(proposal)


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
    result = propose("s", "weight", 0.4, [scored(0.4, WORSE), scored(0.5, BETTER)])
    assert result is not None
    assert result.worth_it
    assert str(result).startswith("propose s: weight 0.5 instead of 0.4: mrr 0.500 to 1.000 (+0.500, p 0.0")


def test_a_value_that_excludes_gold_is_refused_by_the_gate() -> None:
    result = propose("s", "weight", 0.4, [scored(0.4, WORSE), scored(0.5, BETTER, excluded_gold=("g",))])
    assert result is not None
    assert not result.worth_it
    assert result.significant
    assert "the gate refuses it: no_false_exclusions" in str(result)


def test_a_value_that_chance_may_explain_is_not_proposed() -> None:
    result = propose("s", "weight", 0.4, [scored(0.4, [2, *BETTER]), scored(0.5, [1, *BETTER])])
    assert result is not None
    assert (result.best, result.worth_it) == (0.5, False)
    assert "chance may explain that" in str(result)


@pytest.mark.parametrize(("values", "best"), [((0.1, 0.3, 0.4), 0.3), ((0.3, 0.4, 0.5), 0.3), ((0.2, 0.4, 0.5), 0.5)])
def test_of_equal_values_the_nearest_is_the_best_then_the_smaller(values: tuple[float, ...], best: float) -> None:
    points = [scored(value, WORSE if value == 0.4 else BETTER) for value in values]
    result = propose("s", "weight", 0.4, points)
    assert result is not None
    assert result.best == best


def test_a_value_that_is_as_good_as_the_current_one_changes_nothing() -> None:
    result = propose("s", "weight", 0.4, [scored(0.4, BETTER), scored(0.5, BETTER)])
    assert result is not None
    assert result.best == result.current == 0.4
    assert result.p is None


def test_without_scores_there_is_no_proposal() -> None:
    assert propose("s", "weight", 0.4, []) is None
    assert propose("s", "weight", 0.4, [Point(Tried(0.4, None, None, None, None, 0), Evaluation("snapshot"))]) is None


def test_it_is_kept_with_its_curve(tmp_path: Path) -> None:
    points = [scored(0.4, WORSE), scored(0.5, BETTER)]
    result = propose("s", "weight", 0.4, points)
    assert result is not None
    result.write(tmp_path / "weight.json", points)
    kept = json.loads((tmp_path / "weight.json").read_text())
    assert kept["says"] == str(result)
    assert [each["value"] for each in kept["curve"]] == [0.4, 0.5]


RELATIVES = Relatives.of([build_chunk(f"g{number}") for number in range(10)])


def row(gold: str, ranking: str) -> ScoredQuestion:
    ids = tuple(ranking.split())
    return ScoredQuestion(
        "s", "p", "x", gold, "b", "k", "?", tuple(gold.split()), ids, ids, (), (), None, None, None, ""
    )


ROWS = [row("g0", "g1 g0 g2"), row("g3 g4", "g3 g1 g4"), row("", "g1 g2 g3")]


def test_more_chunks_show_more_gold_and_more_siblings() -> None:
    result = shown_at(ROWS, RELATIVES, [1, 2, 3])
    assert [each.recall for each in result] == [(0 + 1 / 2) / 2, (1 + 1 / 2) / 2, 1.0]
    assert [each.noise for each in result] == [(1 + 0) / 2, (1 + 1) / 2, (2 + 1) / 2]


def test_enough_is_the_least_that_shows_as_much() -> None:
    result = shown_at(ROWS, RELATIVES, [1, 2, 3, 10])
    assert enough(result, 10) == 3
    assert enough(result, 2) == 2


def test_without_gold_nothing_is_shown() -> None:
    assert shown_at(ROWS[2:], RELATIVES) == ()
