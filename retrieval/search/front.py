"""A ranking from the front of a scan alone: the best of the first look in a better order, and what stands beside."""

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.companions import RANKED, companions, placed
from retrieval.search.evidence.evidence import Wanted, total_of
from retrieval.search.fusion import Positions, best
from retrieval.search.legs import Legs
from retrieval.search.ranking import Ranking
from retrieval.search.rerank.rerank import BEST, second_look, with_lexical
from retrieval.strategy import Strategy


def from_the_front(
    legs: Legs, snapshot: Snapshot, strategy: Strategy, k: int, wanted: Wanted, allowed: Mask | None
) -> Ranking | None:
    """What `rank` finds where nothing but two looks decides, without a score for every chunk.

    None where there is no candidate, or there are fewer than k and more chunks that may come back.

    Args:
        legs: the scan.
        snapshot: what was scanned.
        strategy: its weights.
        k: how many.
        wanted: the best of what may come back, and of what the caller's filter passes, masks as the scan has them.
        allowed: (n,) chunks of the snapshot that may come back; None: all.
    """
    if legs.evidence is None or legs.measures is None or legs.lexical is None or strategy.evidence is None:
        return None
    front = legs.evidence.front(strategy.evidence, wanted)
    (_, mask), *unfiltered = wanted
    candidates = legs.chunks(with_lexical(front.best(BEST, mask), legs.lexical, mask))
    there = legs.evidence.size if mask is None else int(np.count_nonzero(mask))
    if not len(candidates) or len(candidates) < min(k, there):
        return None
    look = second_look(snapshot, legs.question, legs.measures, candidates, strategy.trees)
    order = best(look.scores, k)
    beside = standing_beside(legs, snapshot, strategy, candidates[order], allowed)
    put = placed(candidates[order], look.scores[order], beside)
    displaced = np.empty(0, dtype=np.int64)
    for count, where in unfiltered:
        first = legs.chunks(front.best(count, where))
        displaced = first if allowed is None else first[~allowed[first]]
    parts = put.parts(look.parts(put.positions, look.scores_of(put.positions)))
    return Ranking(put.positions, put.scores, legs.at(put.positions), parts, displaced)


def standing_beside(
    legs: Legs, snapshot: Snapshot, strategy: Strategy, found: Positions, allowed: Mask | None
) -> Positions:
    """The companions of a ranking, where the strategy keeps places for them and the ranking is long enough."""
    measures, weights = legs.measures, strategy.evidence
    if not strategy.companions or len(found) <= RANKED or measures is None or weights is None:
        return np.empty(0, dtype=np.int64)

    def best_of(rows: Positions) -> int:
        return int(rows[best(total_of(weights, measures.at(rows)), 1)[0]])

    return companions(snapshot.graph, found[:RANKED].tolist(), strategy.companions, best_of, allowed)
