"""What is swept, and what each value gives a strategy."""

from pathlib import Path

import pytest

from evals.evaluation import evaluate
from evals.sweeps.proposal import propose
from evals.sweeps.sweep import SWEEPS
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import strategy


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
    points = {each.tried.value: each for each in sweep.points(scores, [0.0, 1.0])}
    assert points[0.0].tried.mrr == pytest.approx(headline["dense"]["mrr"])
    assert points[1.0].tried.mrr == pytest.approx(headline["bm25"]["mrr"])
    assert points[0.4].scores.rows("hybrid")
    proposal = propose(sweep.base, sweep.parameter, sweep.current, tuple(points.values()))
    assert proposal is not None
    assert (proposal.best, proposal.worth_it) == (0.4, False)
    assert "no other value has a better mrr" in str(proposal)
