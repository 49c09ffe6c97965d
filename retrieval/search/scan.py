"""Hybrid search by exact scan: the legs score every chunk, the predicates mask, names rank what is left."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.index.snapshot import Snapshot
from retrieval.search.cosine import similarity
from retrieval.search.evidence import Evidence, gather
from retrieval.search.filtering import admitted_mask
from retrieval.search.fusion import FUSIONS, Leg, Positions, Scores, best
from retrieval.search.question import Question
from retrieval.search.ranking import Ranking
from retrieval.search.stopwatch import Stopwatch
from retrieval.strategy import Strategy
from retrieval.types import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """What each way of looking makes of every chunk; None where the strategy does not look that way."""

    lexical: Scores | None
    """(n,) BM25."""
    dense: Scores | None
    """(n,) cosine."""
    evidence: Evidence | None

    def fused(self, strategy: Strategy) -> Scores:
        """One score a chunk, (n,): the evidence, or the only leg's own, or both legs fused as the strategy says."""
        if self.evidence is not None and strategy.evidence is not None:
            return self.evidence.total(strategy.evidence)
        weighted = [(self.lexical, strategy.lexical_weight, 0.0), (self.dense, strategy.dense_weight, -1.0)]
        used = [Leg(scores, weight, floor) for scores, weight, floor in weighted if scores is not None]
        return used[0].scores.copy() if len(used) == 1 else FUSIONS[strategy.fusion](used)

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """The parts of these chunks' scores by name."""
        legs = {"lexical": self.lexical, "dense": self.dense}
        parts = self.evidence.parts if self.evidence else legs
        return {name: scores[positions] for name, scores in parts.items() if scores is not None}


def scan(snapshot: Snapshot, question: Question, vector: Vector | None, strategy: Strategy, watch: Stopwatch) -> Legs:
    """Score every chunk of a snapshot.

    Args:
        snapshot: where to search.
        question: what was asked.
        vector: the question's vector; None when the strategy has no dense leg.
        strategy: which legs there are.
        watch: gets the stages `lexical`, `dense` and `evidence`.
    """
    lexical = dense = evidence = None
    if strategy.has_lexical_leg:
        with watch.stage("lexical"):
            lexical = snapshot.lexical.scores(question.text)
    if vector is not None:
        with watch.stage("dense"):
            dense = similarity(snapshot.vectors, vector)
    if strategy.evidence is not None and lexical is not None:
        with watch.stage("evidence"):
            evidence = gather(snapshot, question, lexical, np.zeros_like(lexical) if dense is None else dense)
    return Legs(lexical, dense, evidence)


def rank(legs: Legs, snapshot: Snapshot, strategy: Strategy, k: int, admitted: Positions | None) -> Ranking:
    """The k best chunks of a scan.

    Args:
        legs: the scan.
        snapshot: what was scanned.
        strategy: its weights.
        k: how many; that many come back where they exist.
        admitted: guarded chunks that may come back; None when the strategy does not filter.
    """
    scores = legs.fused(strategy)
    mask = None if admitted is None else admitted_mask(snapshot, admitted)
    kept = best(scores, k, mask)
    displaced = np.empty(0, dtype=np.int64)
    if mask is not None:
        unfiltered = best(scores, k)
        displaced = unfiltered[~mask[unfiltered]]
    return Ranking(kept, scores[kept], legs.at(kept), displaced=displaced)
