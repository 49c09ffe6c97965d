"""The weights of the choice of cells: a conditional logit, fitted by maximum likelihood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from evals.answers.examples import CellExample
from evals.errors import FittingError
from retrieval.answer.cells import MOST
from retrieval.answer.column_features import NAMES, Features

_RIDGE = 1e-3
_BOOK, _GENERATED = 4.0, 0.5
"""What a question of a person about a book counts, and a generated one, beside one about a table of an encyclopaedia:
books are what the weights are for, and there are few such questions."""
_TABLES = frozenset({"wikisql-rows", "wtq-rows"})


@dataclass(frozen=True, slots=True)
class Reading:
    """How often cells that were chosen say the answer, where the row is the right one. Key: (source, generated)."""

    source: str
    generated: bool
    n: int
    first: float
    """Share of the questions whose answer stands in the first cell."""
    within: float
    """In the first `MOST`."""


def fit_cells(examples: Sequence[CellExample]) -> Features:
    """(NAMES,) weights that make the wanted cells most likely.

    Raises:
        FittingError: there is no example.
    """
    if not examples:
        raise FittingError("the choice of cells is fitted on questions that a row answers; there are none")
    features = np.concatenate([each.features for each in examples])
    wanted = np.concatenate([each.wanted for each in examples])
    sizes = np.asarray([len(each.wanted) for each in examples])
    starts, owner = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    counts = np.asarray([_count(each) for each in examples])
    share = (counts / counts.sum())[owner]

    def loss(weights: Features) -> tuple[float, Features]:
        scores = features @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        chances = raised / np.add.reduceat(raised, starts)[owner]
        size = -float((share * wanted * np.log(np.maximum(chances, 1e-300))).sum())
        ridge = _RIDGE * weights
        return size + float(ridge @ weights) / 2, features.T @ (share * (chances - wanted)) + ridge

    found: Features = minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B").x
    return found.round(3)


def _count(example: CellExample) -> float:
    if example.generated:
        return _GENERATED
    return 1.0 if example.source in _TABLES else _BOOK


def left_out(examples: Sequence[CellExample]) -> tuple[Reading, ...]:
    """What is read of each source by weights that were fitted without it.

    Raises:
        FittingError: there is one source only.
    """
    sources = list(dict.fromkeys(each.source for each in examples))
    return tuple(
        reading
        for source in sources
        for reading in _readings(source, examples, fit_cells([each for each in examples if each.source != source]))
    )


def _readings(source: str, examples: Sequence[CellExample], weights: Features) -> Sequence[Reading]:
    found = []
    for generated in (False, True):
        own = [each for each in examples if each.source == source and each.generated == generated]
        if own:
            first = sum(each.read(each.features @ weights, 1) for each in own)
            within = sum(each.read(each.features @ weights, MOST) for each in own)
            found.append(Reading(source, generated, len(own), first / len(own), within / len(own)))
    return found


def named(weights: Features) -> Mapping[str, float]:
    """The weights by the name of what they weigh."""
    return dict(zip(NAMES, weights.tolist(), strict=True))
