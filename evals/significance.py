"""Uncertainty of numbers: seeded bootstrap intervals, paired randomisation tests, Holm's correction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SEED = 20_250_101
RESAMPLES = 1_000
PERMUTATIONS = 10_000
CONFIDENCE = 0.95

_BLOCK = 2_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of a mean, a share or a pooled ratio."""

    low: float
    high: float


_STANDARD_ERRORS = 1.959964
"""Standard errors of the normal distribution that `CONFIDENCE` spans on either side."""


def wilson_interval(successes: int, n: int) -> Interval:
    """Return the 95 % interval of a share by Wilson's score, which holds for few questions and for shares of 0 and 1.

    Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    Args:
        successes: 0 to n.
        n: 0 or more; for 0 the interval is (0, 1).
    """
    if not n:
        return Interval(0.0, 1.0)
    share, square = successes / n, _STANDARD_ERRORS**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = _STANDARD_ERRORS / (1 + square / n) * (share * (1 - share) / n + square / (4 * n * n)) ** 0.5
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def ratio_intervals(numerators: Floats, denominators: Floats) -> tuple[Interval | None, ...]:
    """Return bootstrap intervals (95 %, percentile) of `sum(numerators) / sum(denominators)` for every column.

    Arguments are (n questions, m numbers); questions are drawn with replacement, the same draws for all columns. A
    mean over the questions that have a value is this ratio with denominators 1 and 0. A column whose denominators
    are all 0 has no interval (None). Resamples whose denominator is 0 are ignored.
    """
    questions, columns = numerators.shape
    if not questions:
        return tuple([None] * columns)
    above = np.empty((RESAMPLES, columns))
    below = np.empty((RESAMPLES, columns))
    for start, counts in _draws(questions):
        above[start : start + len(counts)] = counts @ numerators
        below[start : start + len(counts)] = counts @ denominators
    tail = (1 - CONFIDENCE) / 2
    intervals: list[Interval | None] = []
    for column in range(columns):
        drawn = below[:, column] != 0
        if not drawn.any():
            intervals.append(None)
            continue
        low, high = np.quantile(above[drawn, column] / below[drawn, column], [tail, 1 - tail])
        intervals.append(Interval(float(low), float(high)))
    return tuple(intervals)


def bootstrap_interval(values: Sequence[float]) -> Interval:
    """Return the bootstrap interval (95 %, percentile) of the mean of `values`.

    Raises:
        ValueError: there are no values.
    """
    column = np.asarray(values, dtype=np.float64)[:, None]
    interval = ratio_intervals(column, np.ones_like(column))[0]
    if interval is None:
        raise ValueError("a mean of no values has no interval")
    return interval


def paired_randomisation(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the two-sided p value of a difference of two means over the same questions; Fisher's randomisation test.

    Every difference keeps or changes its sign at random (Smucker, Allan and Carterette, 2007). Exact if the number of
    non-zero differences allows it; else p = (1 + as extreme) / (1 + permutations), never 0. No difference: 1.

    Raises:
        ValueError: the two have different lengths.
    """
    from scipy.stats import permutation_test

    if len(left) != len(right):
        raise ValueError(f"{len(left)} values against {len(right)}: pair them by question first")
    pairs = np.stack([left, right]).astype(np.float64)
    pairs = pairs[:, pairs[0] != pairs[1]]
    questions = pairs.shape[1]
    if questions < 2:
        return 1.0  # one difference is as large with either sign; the library refuses it
    result = permutation_test(
        tuple(pairs),
        _distance,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=max(1, _BLOCK // questions),
        # both signs of a distance count as extreme, so one side of it is a two-sided test
        alternative="greater",
        rng=np.random.default_rng(SEED),
    )
    return float(result.pvalue)


def _distance(left: Floats, right: Floats, axis: int) -> Floats:
    # rounded, because sums of the same numbers in another order differ in the last bits
    distance: Floats = np.round(abs((left - right).sum(axis=axis)), 9)
    return distance


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Apply Holm's step-down correction (1979), which keeps the chance of any false alarm among all tests at alpha."""
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    adjusted: dict[str, float] = {}
    largest = 0.0
    for position, name in enumerate(ordered):
        largest = max(largest, min(1.0, (len(ordered) - position) * p_values[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}


def _draws(questions: int) -> Iterator[tuple[int, Floats]]:
    """Yield blocks: the first resample, and how often each question was drawn, `(resamples in block, questions)`."""
    step = max(1, _BLOCK // questions)
    starts = [*range(0, RESAMPLES, step), RESAMPLES]
    # one generator per block bounds memory and makes every block the same on every run
    for start, end in pairwise(starts):
        yield start, _counts(questions, end - start, SEED + start)


@lru_cache(maxsize=2)
def _counts(questions: int, resamples: int, seed: int) -> Floats:
    # cached for the next call: the strategies of one group get the same draws
    drawn = np.random.default_rng(seed).integers(questions, size=(resamples, questions))
    flat = drawn + np.arange(resamples)[:, None] * questions
    return np.bincount(flat.ravel(), minlength=resamples * questions).reshape(resamples, questions).astype(np.float64)
