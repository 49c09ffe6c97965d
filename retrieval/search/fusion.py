"""Merging two legs: pure functions on score arrays."""

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


def min_max(scores: Scores) -> Scores:
    """Scores moved to 0-1 by their smallest and largest; all zeros when they are all the same."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low + 1e-9)


def share_of_best(scores: Scores) -> Scores:
    """Scores that begin at 0, as a share of the largest; all zeros when nothing scored."""
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else np.zeros_like(scores)


def best(scores: Scores, k: int, allowed: npt.NDArray[np.bool_] | None = None) -> Positions:
    """Positions of the k best scores, best first; equal scores by position.

    Args:
        scores: (n,).
        k: how many at most.
        allowed: (n,); positions that may not come back are False. They are dropped, not scored low.
    """
    pool = np.flatnonzero(allowed) if allowed is not None else np.arange(len(scores))
    wanted = min(k, len(pool))
    if wanted < 1:
        return np.empty(0, dtype=np.int64)
    values = scores[pool]
    worst = np.partition(values, len(values) - wanted)[len(values) - wanted]
    pool = pool[values >= worst]
    order: Positions = pool[np.lexsort((pool, -scores[pool]))][:wanted]
    return order
