"""Hybrid search by exact scan: the legs score every chunk, the predicates mask, names rank what is left."""

from collections.abc import Mapping

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.companions import placed
from retrieval.search.dense.admission import Admission
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.evidence import Wanted, gather
from retrieval.search.front import from_the_front, standing_beside
from retrieval.search.fusion import Leg, Scores, best
from retrieval.search.graph_boost import graph_boost
from retrieval.search.legs import Legs
from retrieval.search.query import Query
from retrieval.search.ranking import Ranking
from retrieval.search.rerank.rerank import BEST
from retrieval.search.stopwatch import Stopwatch
from retrieval.strategy import Strategy
from retrieval.types import Vector

GAIN, BASE = "graph_boost", "base_score"
"""What the graph adds, and what was there before, which is a sum already and no part of one."""


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
    return Legs(lexical, dense, evidence, question)


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
    if strategy.second_look and strategy.graph is None and not strategy.exhaustive:
        looked = from_the_front(legs, snapshot, strategy, k, wanted, allowed)
        if looked is not None:
            return looked
    base = legs.fused(strategy, scaled, wanted)
    first = legs.looked_at_again(snapshot, strategy, base, mask)
    scores, gains = raised(first.over(base), snapshot, strategy, mask)
    found = best(scores, k, mask)
    displaced = np.empty(0, dtype=np.int64)
    if admitted is not None and allowed is not None:
        # A second look at what is excluded would cost as much as the search: the first says what it displaced.
        unfiltered = best(base if strategy.second_look else scores, k, where)
        displaced = unfiltered[~allowed[unfiltered]]
    # What stands beside a row was not to be found by a first stage.
    beside = standing_beside(legs, snapshot, strategy, found, allowed)
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


def raised(
    scores: Scores, snapshot: Snapshot, strategy: Strategy, mask: Mask | None
) -> tuple[Scores, Mapping[str, Scores]]:
    """The scores with what the graph adds, and both apart as `base_score` and `graph_boost`; unchanged without it."""
    if strategy.graph is None:
        return scores, {}
    gains = graph_boost(scores, snapshot.graph, strategy.graph, mask)
    return scores + gains, {BASE: scores, GAIN: gains}
