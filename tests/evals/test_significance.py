from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.significance import bootstrap_interval, holm, paired_randomisation, ratio_intervals

VALUES = st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=1, max_size=10)


def test_the_interval_covers_the_mean_and_narrows_with_more_questions():
    few, many = bootstrap_interval([0.0, 1.0] * 10), bootstrap_interval([0.0, 1.0] * 1_000)
    assert few.low < 0.5 < few.high
    assert many.low < 0.5 < many.high
    assert many.high - many.low < few.high - few.low
    # 1.96 standard errors on both sides, within a fifth
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 2_000**0.5, rel=0.2)


def test_many_questions_are_drawn_in_blocks_of_bounded_size():
    values = [0.0, 1.0] * 2_500
    interval = bootstrap_interval(values)
    assert interval.low < 0.5 < interval.high


def test_a_constant_has_no_width_and_nothing_has_no_interval():
    assert (bootstrap_interval([0.3] * 5).low, bootstrap_interval([0.3] * 5).high) == pytest.approx((0.3, 0.3))
    with pytest.raises(ValueError, match="no values"):
        bootstrap_interval([])
    assert ratio_intervals(np.ones((4, 1)), np.zeros((4, 1))) == (None,)


def test_a_ratio_is_pooled_within_each_draw():
    above, below = np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[2.0, 1.0], [4.0, 1.0]])
    pooled, zero = ratio_intervals(above, below)
    # two questions: each draw holds the first twice, one of each, or the second twice
    assert (pooled.low, pooled.high) == (1 / 2, 3 / 4)
    assert (zero.low, zero.high) == (0, 0)


@given(st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), min_size=1, max_size=8))
def test_few_differences_are_tested_exactly(pairs):
    left, right = zip(*pairs, strict=True)
    differences = [a - b for a, b in pairs]
    signs = list(product([1, -1], repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(pattern, differences, strict=True))) for pattern in signs]
    expected = sum(total >= abs(sum(differences)) - 1e-12 for total in sums) / len(sums)
    assert paired_randomisation(left, right) == pytest.approx(expected)


def test_a_clear_difference_is_significant_and_chance_is_not():
    generator = np.random.default_rng(5)
    base = generator.random(200)
    assert paired_randomisation(base + 0.1, base) == 1 / 10_001
    assert paired_randomisation(base + generator.normal(scale=0.1, size=200), base) > 0.05


def test_sampling_agrees_with_the_exact_test():
    left, right = [1.0] * 12 + [0.0] * 4, [0.0] * 12 + [1.0] * 4
    # 16 differences of 1: P(at least 12 or at most 4 heads in 16)
    exact = 2 * sum([1, 16, 120, 560, 1820]) / 2**16
    assert paired_randomisation(left, right) == pytest.approx(exact, rel=0.15)


def test_equal_sums_count_as_extreme_however_they_are_added_up():
    # 0.1 + 0.2 and 0.3 differ in the last bit; tenths as whole numbers do not
    tenths = [1, 2, -3, 6, 7, 9]
    sums = [
        sum(sign * tenth for sign, tenth in zip(signs, tenths, strict=True)) for signs in product([1, -1], repeat=6)
    ]
    expected = sum(abs(total) >= abs(sum(tenths)) for total in sums) / len(sums)
    assert paired_randomisation([tenth / 10 for tenth in tenths], [0.0] * 6) == pytest.approx(expected)


def test_the_interval_and_p_are_the_same_on_every_run():
    values = list(np.random.default_rng(3).random(50))
    assert bootstrap_interval(values) == bootstrap_interval(values)
    left, right = np.random.default_rng(2).random((2, 60))
    assert paired_randomisation(left, right) == paired_randomisation(left, right)


def test_one_difference_or_none_says_nothing_and_unpaired_values_are_refused():
    assert paired_randomisation([1, 0.5], [0, 0.5]) == 1
    assert paired_randomisation([0.5, 1], [0.5, 1]) == 1
    assert paired_randomisation([], []) == 1
    with pytest.raises(ValueError, match="2 values against 1"):
        paired_randomisation([1, 2], [1])


def test_holm_multiplies_by_what_is_left_and_never_falls():
    assert holm({"c": 0.04, "a": 0.01, "b": 0.03}) == {"c": 0.03 * 2, "a": 0.01 * 3, "b": 0.03 * 2}
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=2), st.floats(0, 1), max_size=6))
def test_holm_lies_between_p_and_bonferroni(p_values):
    for name, corrected in holm(p_values).items():
        assert p_values[name] <= corrected <= min(1, len(p_values) * p_values[name])
