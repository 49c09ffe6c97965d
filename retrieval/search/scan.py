"""Hybrid search by exact scan: the legs score every chunk, the predicates mask, names rank what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.companions import RANKED, companions, placed
from retrieval.search.dense.admission import Admission
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.evidence import Evidence, Wanted, gather
from retrieval.search.fusion import FUSIONS, Leg, Positions, Scores, best, total
from retrieval.search.graph_boost import graph_boost, named_entities, reached
from retrieval.search.query import Query
from retrieval.search.ranking import Ranking
from retrieval.search.rerank.rerank import BEST, SecondLook, pool, second_look, with_lexical
from retrieval.search.routing import routed
from retrieval.search.stopwatch import Stopwatch
from retrieval.strategy import GraphBoost, Strategy
from retrieval.types import Vector

NAMED = GraphBoost(relations=("describes", "see", "contains"), depth=3)
"""How far from the name of a thing its chunks are, where a strategy with `graph_first` does not say."""
GAIN, BASE = "graph_boost", "base_score"
"""What the graph adds, and what was there before, which is a sum already and no part of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """What each way of looking makes of every chunk; None where the strategy does not look that way."""

    lexical: Scores | None
    """(n,) BM25."""
    dense: Cosines | None
    evidence: Evidence | None
    question: Query
    named: Positions | None = None
    """Chunks that the graph connects with what the question names, rising; None where the strategy does not look."""
    found: Mask | None = None
    """(n,) candidates of a first stage elsewhere, which alone are ranked; None: all chunks are."""

    def scaled(self, strategy: Strategy) -> Sequence[Leg]:
        """The legs as they enter the sum: a lone one as it is, two as the strategy fuses them; none with evidence."""
        if self.evidence is not None:
            return ()
        cosines = None if self.dense is None else self.dense.all
        legs = [
            Leg(scores, weight, floor, name)
            for name, scores, weight, floor in (
                ("lexical", self.lexical, strategy.lexical_weight, 0.0),
                ("dense", cosines, strategy.dense_weight, -1.0),
            )
            if scores is not None
        ]
        return [leg.scaled(leg.scores, 1.0) if len(legs) == 1 else FUSIONS[strategy.fusion](leg) for leg in legs]

    def fused(
        self,
        strategy: Strategy,
        scaled: Sequence[Leg],
        wanted: Wanted,
    ) -> Scores:
        """One score a chunk, (n,): the evidence, or the sum of the legs.

        Args:
            strategy: the weights.
            scaled: the legs as they enter the sum.
            wanted: which chunks are, if nothing but their scores decides: those that cannot be among them may have
                less than their whole score.
        """
        if self.evidence is not None and strategy.evidence is not None:
            everything = strategy.looks_around or strategy.exhaustive
            return self.evidence.total(strategy.evidence, None if everything else wanted)
        return total(scaled)

    def parts(self, strategy: Strategy, scaled: Sequence[Leg], positions: Positions) -> Sequence[Leg]:
        """What the scores of these chunks are the weighted sum of; what weighs nothing is left out."""
        if self.evidence is None or strategy.evidence is None:
            return [leg.scaled(leg.scores[positions], leg.weight) for leg in scaled]
        values = self.evidence.at(positions)
        return [Leg(values[name], weight, name=name) for name, weight in strategy.evidence.items() if weight]

    def looked_at_again(
        self, snapshot: Snapshot, strategy: Strategy, scores: Scores, allowed: Mask | None
    ) -> SecondLook:
        """A second look at the best of these scores; an empty one where the strategy takes none."""
        if not strategy.second_look or self.evidence is None or self.lexical is None:
            return SecondLook.nowhere()
        candidates = pool(scores, self.lexical, allowed)
        return second_look(snapshot, self.question, self.evidence, candidates, strategy.trees)

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """What was measured of these chunks, by name."""
        if self.evidence is not None:
            return self.evidence.at(positions)
        lexical = {} if self.lexical is None else {"lexical": self.lexical[positions]}
        return lexical if self.dense is None else lexical | {"dense": self.dense.at(positions)}


def scan(snapshot: Snapshot, question: Query, vector: Vector | None, strategy: Strategy, watch: Stopwatch) -> Legs:
    """Score every chunk of a snapshot.

    Args:
        snapshot: where to search.
        question: what was asked.
        vector: the question's vector; None when the strategy has no dense leg.
        strategy: which legs there are.
        watch: gets the stages `lexical` and `evidence`; cosines are counted where they are asked for.
    """
    lexical = dense = evidence = None
    if strategy.has_lexical_leg:
        with watch.stage("lexical"):
            lexical = snapshot.lexical.scores(question.text)
    if vector is not None:
        dense = Cosines(snapshot.vectors, vector)
    if strategy.evidence is not None and lexical is not None:
        with watch.stage("evidence"):
            evidence = gather(snapshot, question, lexical, dense)
    named = None
    if strategy.graph_first:
        with watch.stage("graph"):
            things = named_entities(snapshot.graph, question.text, snapshot.lexical.tokenize)
            named = reached(snapshot.graph, things, strategy.graph or NAMED)
    return Legs(lexical, dense, evidence, question, named)


def rank(
    legs: Legs,
    snapshot: Snapshot,
    strategy: Strategy,
    k: int,
    admitted: Admission | None,
    where: Mask | None = None,
) -> Ranking:
    """The k best chunks of a scan.

    Args:
        legs: the scan.
        snapshot: what was scanned.
        strategy: its weights.
        k: how many; that many come back where they exist.
        admitted: what query_must says of the question; None when the strategy does not filter.
        where: (n,) the chunks that the caller's filter passes; None: all.
    """
    allowed = where if admitted is None else admitted.mask(snapshot, where)
    mask = _both(allowed, legs.found)
    scaled = legs.scaled(strategy)
    wanted: Wanted = [(max(k, BEST) if strategy.second_look else k, mask), *([] if admitted is None else [(k, where)])]
    if strategy.second_look and not (strategy.looks_around or strategy.exhaustive):
        looked = _from_the_front(legs, snapshot, strategy, k, wanted, allowed)
        if looked is not None:
            return looked
    base = legs.fused(strategy, scaled, wanted)
    kept = mask if strategy.routing is None else routed(base, snapshot.graph.chapters, strategy.routing, mask)
    first = legs.looked_at_again(snapshot, strategy, base, kept)
    scores, gains = raised(first.over(base), snapshot, strategy, legs.named, kept)
    found = best(scores, k, kept)
    displaced = np.empty(0, dtype=np.int64)
    if admitted is not None and allowed is not None:
        # A second look at what is excluded would cost as much as the search: the first says what it displaced.
        unfiltered = best(base if strategy.second_look else scores, k, where)
        displaced = unfiltered[~allowed[unfiltered]]
    # What stands beside a row was not to be found by a first stage.
    beside = standing_beside(legs, snapshot, strategy, found, kept if legs.found is None else allowed)
    put = placed(found, scores[found], beside)
    found = put.positions
    raises = {name: gain[found] for name, gain in gains.items()}
    own = gains[BASE][found] if gains else scores[found]
    parts = [
        *(legs.parts(strategy, scaled, found) if first.is_empty else first.parts(found, own)),
        *(Leg(gain, name=name) for name, gain in raises.items() if name == GAIN),
    ]
    return Ranking(found, put.scores, {**legs.at(found), **raises}, put.parts(parts), displaced)


def _both(one: Mask | None, other: Mask | None) -> Mask | None:
    if one is None or other is None:
        return one if other is None else other
    return one & other


def _from_the_front(
    legs: Legs, snapshot: Snapshot, strategy: Strategy, k: int, wanted: Wanted, allowed: Mask | None
) -> Ranking | None:
    """What `rank` finds where nothing but two looks decides, without a score for every chunk.

    None where there are fewer than k candidates.
    """
    if legs.evidence is None or legs.lexical is None or strategy.evidence is None:
        return None
    front = legs.evidence.front(strategy.evidence, wanted)
    (_, mask), *unfiltered = wanted
    candidates = with_lexical(front.best(BEST, mask), legs.lexical, mask)
    if len(candidates) < k:
        return None
    look = second_look(snapshot, legs.question, legs.evidence, candidates, strategy.trees)
    order = best(look.scores, k)
    beside = standing_beside(legs, snapshot, strategy, candidates[order], allowed)
    put = placed(candidates[order], look.scores[order], beside)
    displaced = np.empty(0, dtype=np.int64)
    for count, where in unfiltered:
        first = front.best(count, where)
        displaced = first if allowed is None else first[~allowed[first]]
    parts = put.parts(look.parts(put.positions, look.scores_of(put.positions)))
    return Ranking(put.positions, put.scores, legs.at(put.positions), parts, displaced)


def standing_beside(
    legs: Legs, snapshot: Snapshot, strategy: Strategy, found: Positions, allowed: Mask | None
) -> Positions:
    """The companions of a ranking, where the strategy keeps places for them and the ranking is long enough."""
    if not strategy.companions or len(found) <= RANKED or legs.evidence is None or strategy.evidence is None:
        return np.empty(0, dtype=np.int64)
    evidence, weights = legs.evidence, strategy.evidence

    def best_of(rows: Positions) -> int:
        return int(rows[best(evidence.total_at(weights, rows), 1)[0]])

    return companions(snapshot.graph, found[:RANKED].tolist(), strategy.companions, best_of, allowed)


def raised(
    scores: Scores, snapshot: Snapshot, strategy: Strategy, named: Positions | None, kept: Mask | None
) -> tuple[Scores, Mapping[str, Scores]]:
    """The scores with what the graph adds, and both apart as `base_score` and `graph_boost`; unchanged without a graph.

    Chunks connected with what the question names gain the whole span of the scores: they come before all others.
    """
    if strategy.graph is None and named is None:
        return scores, {}
    gains = np.zeros(len(scores))
    if strategy.graph is not None:
        gains += graph_boost(scores, snapshot.graph, strategy.graph, kept)
    if named is not None and len(named):
        gains[named] += float(np.ptp(scores)) + float(gains.max()) + 1.0
    return scores + gains, {BASE: scores, GAIN: gains}
