"""Searching only the chapters that speak most for a question."""

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.search.fusion import Scores, best
from retrieval.strategy import Routing

POOL = 100
"""Best chunks whose scores speak for their chapters."""


def chapters_by_evidence(
    scores: Scores, chapters: npt.NDArray[np.int32], allowed: Mask | None = None
) -> npt.NDArray[np.int64]:
    """Chapters by their pooled evidence, best first; only those with a chunk among the best 100.

    A chapter's evidence is the sum of its chunks' scores among the best 100, each divided by its place in the whole
    ranking: one chunk in front speaks as much as a crowd behind it.

    Args:
        scores: (n,) fused scores.
        chapters: (n,) number of each chunk's chapter.
        allowed: (n,); chunks that may not come back are False, and say nothing.
    """
    pool = best(scores, POOL, allowed)
    weights = np.maximum(scores[pool], 0.0) / np.arange(1, len(pool) + 1)
    found, first, inverse = np.unique(chapters[pool], return_index=True, return_inverse=True)
    evidence = np.bincount(inverse, weights=weights, minlength=len(found))
    # Equal evidence: the chapter whose first chunk is further in front.
    order: npt.NDArray[np.int64] = found[np.lexsort((first, -evidence))].astype(np.int64)
    return order


def routed(
    scores: Scores, chapters: npt.NDArray[np.int32], routing: Routing, allowed: Mask | None = None
) -> Mask | None:
    """Which chunks may come back: those of the kept chapters; `allowed` itself where the search is not routed.

    Hybrid routing gives up the routing where it is weak: where the best chunk is in no kept chapter.

    Args:
        scores: (n,) fused scores.
        chapters: (n,) number of each chunk's chapter.
        routing: how many chapters, and whether a weak routing is given up.
        allowed: (n,); chunks that may not come back anyway are False.
    """
    kept = chapters_by_evidence(scores, chapters, allowed)[: routing.chapters]
    keeps = np.zeros(int(chapters.max(initial=-1)) + 1, dtype=np.bool_)
    keeps[kept] = True
    within = keeps[chapters]
    if allowed is not None:
        within &= allowed
    top = best(scores, 1, allowed)
    if routing.unrouted_when_weak and len(top) and not within[top[0]]:
        return allowed
    return within
