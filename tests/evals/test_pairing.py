from dataclasses import replace

from evals.pairing import counterpart_among, without_query_must
from retrieval.strategy import EvidenceWeights, Strategy


def test_the_counterpart_differs_in_the_filter_alone(dense, prefilter):
    bare = without_query_must(prefilter)
    assert bare == replace(prefilter, name="prefilter-query_must", query_must="off")
    assert without_query_must(dense) is None


def test_a_named_strategy_that_searches_alike_is_the_counterpart(dense, prefilter):
    iterative = Strategy("iterative", dense_weight=1.0, query_must="iterative", max_iterations=5)
    counterpart = counterpart_among([dense, prefilter, iterative])
    assert counterpart(prefilter) == dense
    assert counterpart(iterative) == dense
    assert counterpart(dense) is None


def test_a_strategy_with_other_weights_is_not_taken(dense, prefilter):
    named = replace(prefilter, name="default", evidence=EvidenceWeights(name=0.3))
    assert counterpart_among([dense])(named).name == "default-query_must"
