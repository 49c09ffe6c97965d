import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.dense.cosine import similarity
from retrieval.search.fusion import (
    FUSIONS,
    Leg,
    best,
    min_max,
    reciprocal_rank,
    share_of_best,
    theoretical_bounds,
    total,
    weighted_min_max,
)

SCORES = st.lists(st.sampled_from([-1.5, 0.0, 0.25, 1.0, 7.0]), max_size=40).map(np.asarray).map(np.float64)


@given(SCORES, st.integers(0, 50), st.randoms(use_true_random=False))
def test_best_is_the_head_of_a_full_sort_by_score_then_position(scores, k, rng) -> None:
    allowed = np.asarray([rng.random() < 0.6 for _ in scores], dtype=bool)
    expected = sorted(np.flatnonzero(allowed), key=lambda place: (-scores[place], place))[:k]
    assert best(scores, k, allowed).tolist() == expected
    assert best(scores, k).tolist() == sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]


def test_min_max_spans_zero_to_one_and_equal_scores_are_all_zero() -> None:
    assert min_max(np.asarray([2.0, 4.0, 3.0])) == pytest.approx([0, 1, 0.5])
    assert min_max(np.full(3, 5.0)).tolist() == [0, 0, 0]
    assert min_max(np.zeros(0)).size == 0


def test_share_of_best_leaves_what_did_not_score_at_zero() -> None:
    assert share_of_best(np.asarray([0.0, 1.0, 4.0])).tolist() == [0, 0.25, 1]
    assert share_of_best(np.zeros(2)).tolist() == [0, 0]


@given(st.integers(1, 300), st.sampled_from([3, 37, 256, 384, 1536]), st.integers(0, 2**32 - 1))
def test_similarity_of_a_row_is_the_same_bits_wherever_it_stands(rows: int, dimensions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, dimensions)).astype(np.float32)
    vector = rng.normal(size=dimensions).astype(np.float32)
    some = rng.permutation(rows)[: rows // 2 + 1]
    assert np.array_equal(similarity(matrix, vector)[some], similarity(matrix[some], vector))


# Four documents by hand: BM25 8, 2, 0, 4 and cosine 0.6, 0.8, 0.7, -0.2.
LEGS = (
    Leg(np.asarray([8.0, 2.0, 0.0, 4.0]), weight=0.4, floor=0.0),
    Leg(np.asarray([0.6, 0.8, 0.7, -0.2]), weight=0.6, floor=-1.0),
)


def test_min_max_stretches_each_leg_between_its_worst_and_its_best() -> None:
    # 0.4 * 8/8 + 0.6 * 0.8/1.0, 0.4 * 2/8 + 0.6, 0 + 0.6 * 0.9, 0.4 * 4/8 + 0
    assert total([weighted_min_max(leg) for leg in LEGS]) == pytest.approx([0.88, 0.70, 0.54, 0.20])


def test_theoretical_bounds_begin_at_what_a_score_could_be() -> None:
    # a cosine c counts as (c + 1) / (0.8 + 1); the worst document is not zero
    expected = [0.4 + 0.6 * 1.6 / 1.8, 0.1 + 0.6, 0.6 * 1.7 / 1.8, 0.2 + 0.6 * 0.8 / 1.8]
    assert total([theoretical_bounds(leg) for leg in LEGS]) == pytest.approx(expected)


def test_reciprocal_rank_adds_the_ranks_and_leaves_out_what_a_leg_did_not_find() -> None:
    # ranks 1, 3, none, 2 by BM25 and 3, 1, 2, none by cosine
    assert total([reciprocal_rank(leg) for leg in LEGS]) == pytest.approx(
        [1 / 61 + 1 / 63, 1 / 63 + 1 / 61, 1 / 62, 1 / 62]
    )


def test_equal_scores_share_the_better_rank() -> None:
    assert reciprocal_rank(Leg(np.asarray([1.0, 5.0, 1.0, 0.5]))).scores == pytest.approx(
        [1 / 62, 1 / 61, 1 / 62, 1 / 64]
    )


def slow_reciprocal_rank(legs: list[list[float]]) -> list[float]:
    total = [0.0] * len(legs[0])
    for scores in legs:
        for place, score in enumerate(scores):
            if score > 0:
                total[place] += 1 / (60 + 1 + sum(other > score for other in scores))
    return total


TWO = st.integers(1, 30).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 3.0]), min_size=n, max_size=n), min_size=1, max_size=2
    )
)


@given(TWO)
def test_reciprocal_rank_is_the_formula_over_every_document(legs: list[list[float]]) -> None:
    fused = total([reciprocal_rank(Leg(np.asarray(leg), 0.3)) for leg in legs])
    assert fused == pytest.approx(slow_reciprocal_rank(legs))


@given(TWO, st.sampled_from(sorted(FUSIONS)))
def test_a_document_that_is_better_in_every_leg_is_better(legs: list[list[float]], name) -> None:
    fused = total([FUSIONS[name](Leg(np.asarray(leg), 0.5, -1.0)) for leg in legs])
    for one in range(len(fused)):
        for other in range(len(fused)):
            if all(leg[one] >= leg[other] for leg in legs):
                assert fused[one] >= fused[other]
