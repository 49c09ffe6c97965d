"""Whether a relevance is what it says: of the questions that get 0.8, four of five should have an answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BINS = 10

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions of about one relevance."""

    n: int
    said: float
    """Mean relevance."""
    true: float
    """Share that has an answer."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far a relevance can be believed. Questions with and without an answer weigh the same."""

    n_answered: int
    n_unanswered: int
    auc: float
    """Chance that a question with an answer gets more than one without; ties count half."""
    ece: float
    """Expected calibration error: mean distance of what is said from what is true, over the bins by their weight."""
    bins: tuple[Bin, ...]
    """Of equal width; empty ones are left out."""


def reliability(relevance: Floats, answered: Marks, bins: int = BINS) -> Reliability:
    """Judge the relevance of the first hit of some questions.

    Args:
        relevance: (n,) 0 to 1.
        answered: (n,), some True and some False.
        bins: how many.
    """
    weights = np.where(answered, 0.5 / answered.sum(), 0.5 / (~answered).sum())
    place = np.minimum((relevance * bins).astype(np.int64), bins - 1)
    found, error = [], 0.0
    for number in range(bins):
        inside = place == number
        weight = weights[inside].sum()
        if weight == 0:
            continue
        said = float(weights[inside] @ relevance[inside] / weight)
        true = float(weights[inside] @ answered[inside] / weight)
        error += float(weight) * abs(said - true)
        found.append(Bin(int(inside.sum()), said, true))
    return Reliability(int(answered.sum()), int((~answered).sum()), area(relevance, answered), error, tuple(found))


def area(relevance: Floats, answered: Marks) -> float:
    """The area under the ROC curve."""
    from scipy.stats import rankdata  # takes longer to load than most builds have use for

    ranks, n = rankdata(relevance), int(answered.sum())
    return float((ranks[answered].sum() - n * (n + 1) / 2) / (n * (len(ranks) - n)))


def share_above(relevance: Floats, chosen: Sequence[bool] | Marks, threshold: float) -> float | None:
    """Share of the chosen questions that meet a threshold; None of none."""
    values = relevance[np.asarray(chosen, dtype=np.bool_)]
    return float((values >= threshold).mean()) if len(values) else None
