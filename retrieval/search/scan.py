"""Hybrid search by exact scan: the legs score every chunk, the predicates mask, names rank what is left."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.index.snapshot import Snapshot
from retrieval.search.cosine import similarity
from retrieval.search.filtering import admitted_mask
from retrieval.search.fusion import Positions, Scores, best, min_max, share_of_best
from retrieval.search.names import NamesEvidence, names_evidence
from retrieval.search.question import Question
from retrieval.search.ranking import Ranking
from retrieval.search.stopwatch import Stopwatch
from retrieval.types import Strategy, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """What each way of looking makes of every chunk; None where the strategy does not look that way."""

    lexical: Scores | None
    """(n,) BM25."""
    dense: Scores | None
    """(n,) cosine."""
    names: NamesEvidence | None

    def fused(self, strategy: Strategy) -> Scores:
        """One score a chunk, (n,): the only leg's own, or min-max over all documents, weighted; plus names."""
        weighted = [(self.lexical, strategy.lexical_weight), (self.dense, strategy.dense_weight)]
        used = [(scores, weight) for scores, weight in weighted if scores is not None]
        if len(used) == 1 and self.names is None:
            return used[0][0].copy()
        total = sum((weight * min_max(scores) for scores, weight in used), start=np.zeros(1))
        return total if self.names is None else total + strategy.names_weight * self.names.total

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """The parts of these chunks' scores by name."""
        parts = {"lexical": self.lexical, "dense": self.dense}
        found = {name: scores[positions] for name, scores in parts.items() if scores is not None}
        return found if self.names is None else {**found, **self.names.at(positions)}


def scan(snapshot: Snapshot, question: Question, vector: Vector | None, strategy: Strategy, watch: Stopwatch) -> Legs:
    """Score every chunk of a snapshot.

    Args:
        snapshot: where to search.
        question: what was asked.
        vector: the question's vector; None when the strategy has no dense leg.
        strategy: which legs there are.
        watch: gets the stages `lexical`, `dense` and `names`.
    """
    lexical = dense = names = None
    if strategy.lexical_weight:
        with watch.stage("lexical"):
            lexical = snapshot.lexical.scores(question.text)
    if vector is not None:
        with watch.stage("dense"):
            dense = similarity(snapshot.vectors, vector)
    if strategy.names_weight:
        with watch.stage("names"):
            names = _names(snapshot, question)
    return Legs(lexical, dense, names)


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


def _names(snapshot: Snapshot, question: Question) -> NamesEvidence:
    named, tables = snapshot.predicates.named(question.canonical), snapshot.tables
    return names_evidence(
        tables.scores(question.text), tables.column_scores(question.text), named.positions, share_of_best(named.weights)
    )
