import pytest

from evals.errors import ExperimentError
from evals.experiment import run_experiment
from evals.significance import paired_randomisation
from evals.significant_changes import compare_rows
from retrieval.strategy import Strategy


@pytest.fixture
def run(library):
    def run(**rankings):
        strategies = [Strategy(name, dense_weight=1.0) for name in rankings]
        searcher = library.searcher(**rankings)
        return run_experiment(searcher, strategies, [library.set()], library.chunks, snapshot="s").rows

    return run


def test_strategies_are_compared_in_pairs_and_corrected_together(run):
    candidate, live = run(a="g0/g1/p/u", b="g0/g2 g1/u p/u"), run(a="g0/g2 g1/u p/u", b="g0/g2 g1/p/u")
    first, second = compare_rows(candidate, live, metrics=["mrr"])
    assert [(each.strategy, each.metric, each.n) for each in (first, second)] == [("a", "mrr", 3), ("b", "mrr", 3)]
    assert first.difference == pytest.approx((1 + 1 + 1) / 3 - (1 + 1 / 2 + 1 / 2) / 3)
    assert (first.n_better, first.n_worse, first.interval.low) == (2, 0, 0)
    assert (second.n_better, second.n_worse) == (0, 1)
    assert first.p == paired_randomisation([1, 1, 1], [1, 0.5, 0.5]) == 2 / 4
    assert second.p == 1
    assert (first.corrected, second.corrected) == (min(1, 2 * first.p), 1)
    assert not first.significant


def test_more_noise_is_worse_and_less_of_a_share_is(run):
    noisy, clean = run(a="g0 g3/g1 g4/p/u"), run(a="g0 u/g1 u/p/u")
    by_noise, by_rank = compare_rows(noisy, clean, metrics=["noise@15", "hit@1"])
    assert by_noise.difference == (1 + 1 + 0 + 0) / 4
    assert by_noise.behind
    assert (by_noise.n_better, by_noise.n_worse) == (0, 2)
    assert not by_rank.behind
    (other,) = compare_rows(clean, noisy, metrics=["noise@15"])
    assert (other.behind, other.n_better) == (False, 2)


def test_experiments_without_a_common_strategy_are_refused(run):
    with pytest.raises(ExperimentError, match="no scored question and strategy in common"):
        compare_rows(run(a="g0/g1/p/u"), run(b="g0/g1/p/u"))
