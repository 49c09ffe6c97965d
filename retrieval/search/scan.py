"""Hybrid search by exact scan: lexical and dense scores, evidence, graph boost, candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from retrieval.files.clock import Stopwatch
from retrieval.index.graph import Graph, Nodes
from retrieval.index.graph_building import longest_names, runs
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language.numbers.quantity import FUNCTION_WORDS
from retrieval.language.terms import Tokenize
from retrieval.search.context_rows import RANKED, context_rows, placed
from retrieval.search.evidence import Cosines, Evidence, Measures, Portion, Wanted, gather, total_of
from retrieval.search.fusion import Leg, Positions, Ranking, Scores, best, total, weighted_min_max
from retrieval.search.prefilter import Admission
from retrieval.search.query import Query
from retrieval.search.rerank.rerank import BEST, SecondLook, pool, rerank_candidates, with_lexical
from retrieval.strategy import GraphBoost, Strategy
from retrieval.types import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """What each way of looking makes of every chunk; None where the strategy does not look that way."""

    lexical: Scores | None
    """(n,) BM25."""
    dense: Cosines | None
    evidence: Evidence | None
    question: Query
    found: Mask | None = None
    """(n,) candidates of a first stage elsewhere, which alone are ranked; None: all chunks are."""
    portion: Portion | None = None
    """What is looked at of a large library, where not all is: n is then their number, and a position of the scores the
    place of a chunk among them."""

    @property
    def measures(self) -> Measures | None:
        """The evidence for chunks by their position in the snapshot."""
        return self.evidence if self.portion is None else self.portion

    def chunks(self, places: Positions) -> Positions:
        """The positions in the snapshot of what has these places among the chunks that are looked at."""
        return places if self.portion is None else self.portion.chunks.positions[places]

    def scaled(self, strategy: Strategy) -> Sequence[Leg]:
        """The legs as they enter the sum: a lone one as it is, two scaled to 0-1; none with evidence."""
        if self.evidence is not None:
            return ()
        cosines = None if self.dense is None else self.dense.all
        legs = [
            Leg(scores, weight, name)
            for name, scores, weight in (
                ("lexical", self.lexical, strategy.lexical_weight),
                ("dense", cosines, strategy.dense_weight),
            )
            if scores is not None
        ]
        return [leg.scaled(leg.scores, 1.0) if len(legs) == 1 else weighted_min_max(leg) for leg in legs]

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
            everything = strategy.graph is not None or strategy.exhaustive
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
        return rerank_candidates(snapshot, self.question, self.evidence, candidates, strategy.trees)

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """What was measured of these chunks, by name."""
        if self.measures is not None:
            return self.measures.at(positions)
        lexical = {} if self.lexical is None else {"lexical": self.lexical[positions]}
        return lexical if self.dense is None else lexical | {"dense": self.dense.at(positions)}


def rank_candidates(
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
    look = rerank_candidates(snapshot, legs.question, legs.measures, candidates, strategy.trees)
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

    return context_rows(snapshot.graph, found[:RANKED].tolist(), strategy.companions, best_of, allowed)


def graph_boost(
    scores: Scores, graph: Graph, boost: GraphBoost, allowed: npt.NDArray[np.bool_] | None = None
) -> Scores:
    """What each chunk gains, (n,); add it to the scores and mask again.

    The last edge of a walk is looked up from the candidates: a section or a trait with thousands of chunks is never
    unfolded at the recommended depth of 2, so the cost follows the candidates and not the library.

    Args:
        scores: (n,) fused scores.
        graph: over the same chunks.
        boost: the numbers.
        allowed: (n,); chunks that may not come back are False, and are neither seeds nor raised.
    """
    gains = np.zeros(len(scores))
    candidates = best(scores, boost.candidates, allowed)
    owners, ends = graph.neighbours(candidates, boost.relations)
    tables = graph.table_of(candidates)
    for seed in candidates[: boost.seeds].tolist():
        node = np.asarray([seed])
        table = graph.table_of(node)[0]
        waiting = (candidates != seed) & ((tables != table) | (tables < 0))
        layer, seen = node, node
        for depth in range(boost.depth):
            if depth:
                layer = np.setdiff1d(graph.neighbours(layer, boost.relations)[1], seen)
                seen = np.union1d(seen, layer)
            met = np.zeros(len(candidates), dtype=np.bool_)
            met[owners[np.isin(ends, layer)]] = True
            gains[candidates[met & waiting]] += boost.boost * boost.decay**depth
            waiting &= ~met
    return gains


def named_entities(graph: Graph, question: str, tokenize: Tokenize) -> Nodes:
    """The things that a question names, rising; a name within a longer one that is named too counts for nothing.

    What every question may say names nothing: there are rows that are called `A`, and a question with "a monster" in it
    is not about them.

    Args:
        graph: whose entities.
        question: as it was asked.
        tokenize: cuts words as names were cut.
    """
    words, empty = tokenize(question), _function_words(tokenize)
    entities = graph.entities([name for name, _ in runs(words)])
    known = {name: node for name, node in entities.items() if not empty.issuperset(name.split())}
    return np.asarray(sorted(known[name] for name in longest_names(words, known)), dtype=np.int64)


@lru_cache(maxsize=8)
def _function_words(tokenize: Tokenize) -> frozenset[str]:
    return frozenset(token for word in FUNCTION_WORDS for token in tokenize(word))


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
        looked = rank_candidates(legs, snapshot, strategy, k, wanted, allowed)
        if looked is not None:
            return looked
    base = legs.fused(strategy, scaled, wanted)
    first = legs.looked_at_again(snapshot, strategy, base, mask)
    scores, gains = raised(first.over(base), snapshot, strategy, mask)
    positions = best(scores, k, mask)
    displaced = np.empty(0, dtype=np.int64)
    if admitted is not None and allowed is not None:
        # A second look at what is excluded would cost as much as the search: the first says what it displaced.
        unfiltered = best(base if strategy.second_look else scores, k, where)
        displaced = unfiltered[~allowed[unfiltered]]
    # What stands beside a row was not to be found by a first stage.
    beside = standing_beside(legs, snapshot, strategy, positions, allowed)
    put = placed(positions, scores[positions], beside)
    positions = put.positions
    raises = {name: gain[positions] for name, gain in gains.items()}
    own = gains[BASE][positions] if gains else scores[positions]
    parts = [
        *(legs.parts(strategy, scaled, positions) if first.is_empty else first.parts(positions, own)),
        *(Leg(gain, name=name) for name, gain in raises.items() if name == GAIN),
    ]
    return Ranking(positions, put.scores, {**legs.at(positions), **raises}, put.parts(parts), displaced)


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
