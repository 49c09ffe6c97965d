import pytest

from evals.errors import ExperimentError
from evals.experiment import run_experiment
from evals.statistics.comparison import compare
from evals.statistics.significance import paired_randomisation
from retrieval.strategy import Strategy


def test_strategies_are_compared_in_pairs_and_corrected_together(library, dense):
    bm25, hybrid = Strategy("bm25", lexical_weight=1.0), Strategy("hybrid", dense_weight=0.6)
    searcher = library.searcher(bm25="g0/g2 g1/u p/u", dense="g0/g1/p/u", hybrid="g0/g2 g1/p/u")
    experiment = run_experiment(searcher, [bm25, dense, hybrid], [library.set()], library.chunks, snapshot="s")
    first, second = compare(experiment, "bm25", metrics=["mrr"])
    assert (first.strategy, first.baseline, first.n) == ("dense", "bm25", 3)
    assert first.difference == pytest.approx((1 + 1 + 1) / 3 - (1 + 1 / 2 + 1 / 2) / 3)
    assert (first.better, first.worse) == (("q1", "q2"), ())
    assert first.p == paired_randomisation([1, 1, 1], [1, 0.5, 0.5]) == 2 / 4
    assert second.p == 1
    assert (first.corrected, second.corrected) == (min(1, 2 * first.p), 1)
    assert not first.significant


def test_an_unknown_baseline_is_refused_with_the_known_strategies(library, dense):
    searcher = library.searcher(dense="g0/g1/p/u")
    experiment = run_experiment(searcher, [dense], [library.set()], library.chunks, snapshot="s")
    with pytest.raises(ExperimentError, match="no strategy 'bm25' was run; there are: dense"):
        compare(experiment, "bm25")
