"""Logits with a ridge, fitted by L-BFGS-B: which of several alternatives is chosen, and whether something is so."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.errors import EvaluationError
from retrieval.files.versions import install

Floats = npt.NDArray[np.float64]


class FittingError(EvaluationError):
    """Nothing can be fitted or learned."""


def fitting_library(module: str, name: str, also: str = "") -> Any:
    """Import a library that only fitting needs.

    Args:
        module: what is imported.
        name: of the library, for the error.
        also: what else it needs, for the error.

    Raises:
        FittingError: it is not installed, or what it needs is not.
    """
    try:
        return import_module(module)
    except (ImportError, OSError) as error:
        raise FittingError(f"{name} cannot be loaded ({error}); {install('fit')}{also}") from error


RIDGE = 1e-3
"""On the weights, beside the mean log loss of an example."""
_LEAST = 1e-300
"""No probability is less, so that its logarithm is finite."""


def fit_conditional(
    features: Sequence[Floats], wanted: Sequence[npt.NDArray[np.float64]], counts: Sequence[float]
) -> Floats:
    """Weights that make the wanted alternatives of each choice most likely, (features,).

    McFadden, Conditional logit analysis of qualitative choice behavior, 1974.

    Args:
        features: (alternatives, features) of each choice.
        wanted: (alternatives,) of each choice; they sum to 1.
        counts: what each choice counts.
    """
    from scipy.optimize import minimize  # what only reads a fit needs no scipy

    values, target = np.concatenate(features), np.concatenate(wanted)
    sizes = np.asarray([len(labels) for labels in wanted])
    starts, owner = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    share = (np.asarray(counts) / np.sum(counts))[owner]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = values @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        chances = raised / np.add.reduceat(raised, starts)[owner]
        size = -float((share * target * np.log(np.maximum(chances, _LEAST))).sum())
        ridge = RIDGE * weights
        return size + float(ridge @ weights) / 2, values.T @ (share * (chances - target)) + ridge

    weights: Floats = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x
    return weights


def fit_monotone(values: Floats, signs: Floats, answered: Floats, counts: Floats) -> tuple[float, Floats]:
    """Intercept and weights, (features,), of a logistic function that rises or falls with each feature as it is told.

    Args:
        values: (examples, features); each feature is fitted in its own standard deviation.
        signs: (features,) 1 where a feature can only raise the probability, -1 where it can only lower it.
        answered: (examples,) 1 where it is so, else 0.
        counts: (examples,) what each example counts; they sum to 1.
    """
    from scipy.optimize import minimize

    spread = values.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = values * signs / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        log_odds = scaled @ weights[1:] + weights[0]
        error = counts * (1.0 / (1.0 + np.exp(-log_odds)) - answered)
        size = float((counts * (np.logaddexp(0.0, log_odds) - answered * log_odds)).sum())
        ridge = 0.5 * RIDGE * float(weights[1:] @ weights[1:])
        return size + ridge, np.append(error.sum(), scaled.T @ error + RIDGE * weights[1:])

    bounds = [(None, None), *[(0.0, None)] * values.shape[1]]
    start = np.zeros(values.shape[1] + 1)
    best: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 5000}).x
    return float(best[0]), signs * best[1:] / spread
