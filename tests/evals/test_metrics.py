from math import log2

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, P, R, SetF, Success, nDCG

from evals.metrics import STANDARD, f1, hit, judge, mrr, ndcg, precision, recall

THEIRS = {
    hit(1): Success @ 1,
    hit(5): Success @ 5,
    hit(10): Success @ 10,
    mrr(): RR,
    ndcg(10): nDCG @ 10,
    recall(10): R @ 10,
    precision(15): P @ 15,
    hit(3): Success @ 3,
    recall(2): R @ 2,
    ndcg(4): nDCG @ 4,
}

CHUNKS = [f"d{n}" for n in range(25)]
# few distinct scores: most rankings have ties
RANKINGS = st.dictionaries(st.sampled_from(CHUNKS), st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0]), max_size=25)
GOLD = st.sets(st.sampled_from([*CHUNKS, "not indexed"]), min_size=1, max_size=12)


def trec_order(scores):
    """Chunk ids as trec_eval ranks them."""
    return tuple(sorted(scores, key=lambda chunk_id: (scores[chunk_id], chunk_id), reverse=True))


def judged(ranking, gold):
    return judge(ranking.split(), gold.split())


@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(GOLD, RANKINGS, st.booleans()), min_size=1))
def test_every_metric_means_what_it_means_to_trec_eval(questions):
    """Ties, empty rankings, and questions that the run does not have."""
    qrels = {name: dict.fromkeys(gold, 1) for name, (gold, _, _) in questions.items()}
    run = {name: scores for name, (_, scores, query) in questions.items() if query and scores}
    expected = {
        (each.query_id, str(each.measure)): each.value
        for each in ir_measures.iter_calc([*THEIRS.values(), SetF], qrels, run or {"other": {"d0": 1.0}})
    }
    for name, (gold, scores, request) in questions.items():
        judgement = judge(trec_order(scores) if request else (), gold)
        for ours, theirs in THEIRS.items():
            assert ours(judgement) == pytest.approx(expected[name, str(theirs)], abs=1e-9), ours


@given(GOLD, RANKINGS)
def test_f1_is_the_set_f_of_the_hits_that_are_shown(gold, scores):
    shown = trec_order(scores)[:15]
    run = {"q": {name: -float(rank) for rank, name in enumerate(shown)}} if shown else {"other": {"d0": 1.0}}
    (expected,) = [
        each.value for each in ir_measures.iter_calc([SetF], {"q": dict.fromkeys(gold, 1)}, run) if each.query_id == "q"
    ]
    assert f1()(judge(trec_order(scores), gold)) == pytest.approx(expected, abs=1e-9)


def test_values_by_hand():
    judgement = judged("d3 d1 d7 d2", "d1 d2 d9")
    assert hit(1)(judgement) == 0
    assert hit(2)(judgement) == 1
    assert mrr()(judgement) == 1 / 2
    assert recall(2)(judgement) == 1 / 3
    assert recall(4)(judgement) == 2 / 3
    assert precision(15)(judgement) == 2 / 15
    assert ndcg(3)(judgement) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3) + 1 / log2(4)))
    assert f1()(judgement) == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))


def test_mrr_looks_at_the_first_100():
    ranking = [f"x{n}" for n in range(99)]
    assert mrr()(judge([*ranking, "gold"], ["gold"])) == 1 / 100
    assert mrr()(judge([*ranking, "x99", "gold"], ["gold"])) == 0


def test_a_chunk_that_is_ranked_twice_counts_once():
    judgement = judged("d1 d1 d2", "d1 d2")
    assert judgement.ranks == (1, 3)
    assert recall(10)(judgement) == 1


def test_an_empty_ranking_scores_0_and_a_question_without_gold_is_not_judged():
    assert [each(judged("", "d1")) for each in STANDARD] == [0.0] * len(STANDARD)
    with pytest.raises(ValueError, match="no_answer_accuracy"):
        judge(["d1"], [])


def test_a_metric_is_a_value_with_its_name():
    names = "hit@1 hit@5 hit@10 mrr ndcg@10 recall@10 precision@15 f1"
    assert " ".join(map(str, STANDARD)) == names
    assert len({hit(3), hit(3), hit(4)}) == 2
