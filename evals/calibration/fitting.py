"""A logistic function that only rises with what speaks for an answer."""

from collections.abc import Sequence

import numpy as np

from evals.calibration.examples import Put
from evals.calibration.reliability import Floats
from evals.errors import FittingError
from retrieval.rag.calibration import Calibration
from retrieval.rag.measures import NAMES

WITHOUT_COSINES = tuple(name for name in NAMES if name not in {"best_cosine", "ahead"})
"""The trees that say how far a hit is ahead read cosines too."""

_FALLING = {"unexplained", "unknown", "beyond", "nowhere", "untold", "uncounted"}
_GENERATED, _NEAR_MISSES = 0.2, 0.12
"""Shares of the weight: of generated questions among those of people, and of near misses among those without answer."""
_RIDGE = 1e-3
_DIGITS = 4


def fit(examples: Sequence[Put], embedder: str, strategy: str, names: Sequence[str] = NAMES) -> Calibration:
    """The calibration that makes these examples most likely.

    Questions with and without an answer weigh the same: a library's own share of them is not known.

    Args:
        examples: with and without an answer.
        embedder: whose cosines were measured; `any` for names without them.
        strategy: what ranked.
        names: the measures it may look at.

    Raises:
        FittingError: all of the examples have an answer, or none has.
    """
    answered = np.asarray([each.answered for each in examples], dtype=np.float64)
    if not 0 < answered.sum() < len(answered):
        raise FittingError("relevance is fitted on questions with an answer and questions without; one kind is missing")
    signs = np.asarray([-1.0 if name in _FALLING else 1.0 for name in names])
    columns = [NAMES.index(name) for name in names]
    values = np.asarray([each.values for each in examples])[:, columns] * signs
    spread = values.std(axis=0)
    spread[spread == 0] = 1.0
    found = _minimum(values / spread, answered, weights_of(examples))
    weights = [round(float(weight), _DIGITS) + 0.0 for weight in signs * found[1:] / spread]
    return Calibration(embedder, strategy, tuple(names), tuple(weights), round(float(found[0]), _DIGITS))


def weights_of(examples: Sequence[Put]) -> Floats:
    """What each example counts, (n,); with and without an answer half each. Groups that are missing leave no gap."""
    groups: dict[tuple[bool, bool, bool], list[int]] = {}
    for place, each in enumerate(examples):
        near = each.is_near_miss
        groups.setdefault((each.answered, near, each.generated and not near), []).append(place)
    weights = np.zeros(len(examples))
    for (answered, near, generated), places in groups.items():
        share = _GENERATED if generated else 1.0 - _GENERATED
        if not answered:
            share = _NEAR_MISSES if near else (1.0 - _NEAR_MISSES) * share
        weights[places] = share / len(places)
    with_answer = np.asarray([each.answered for each in examples])
    for side in (with_answer, ~with_answer):
        if side.any():
            weights[side] *= 0.5 / weights[side].sum()
    return weights


def _minimum(values: Floats, answered: Floats, weights: Floats) -> Floats:
    """Intercept and weights of least loss; no weight is below 0."""
    from scipy.optimize import minimize  # as in `reliability`

    def loss(found: Floats) -> tuple[float, Floats]:
        log_odds = values @ found[1:] + found[0]
        error = weights * (1.0 / (1.0 + np.exp(-log_odds)) - answered)
        size = float((weights * (np.logaddexp(0.0, log_odds) - answered * log_odds)).sum())
        ridge = 0.5 * _RIDGE * float(found[1:] @ found[1:])
        return size + ridge, np.append(error.sum(), values.T @ error + _RIDGE * found[1:])

    bounds = [(None, None), *[(0.0, None)] * values.shape[1]]
    start = np.zeros(values.shape[1] + 1)
    found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 5000}).x
    return found
