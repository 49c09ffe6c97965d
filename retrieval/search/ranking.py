"""Rankings: candidates ordered by the re-ranker, or all chunks ordered by their legs and the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.clock import Stopwatch
from retrieval.files.arrays import distinct
from retrieval.index.graph import Graph
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.candidates import PER_LEG, Candidates, fit_alone, rows_of_best_tables
from retrieval.search.collapse import collapse
from retrieval.search.context_rows import CONTENDERS, contenders, context_rows, placed
from retrieval.search.first_stage import AllowedChunks, first_stage_chunks
from retrieval.search.fusion import Cosines, Leg, Positions, Ranking, Scores, best, total, weighted_min_max
from retrieval.search.query import Query
from retrieval.search.rerank.rerank import rerank
from retrieval.strategy import GraphBoost, Strategy
from retrieval.types import ROWS_BEHIND, Vector

FEW = 2 * PER_LEG
"""If at most this many chunks may be returned, all of them are candidates."""


@dataclass(frozen=True, eq=False)
class Search:
    """One question to one snapshot, with everything that determines the result."""

    snapshot: Snapshot
    question: Query
    vector: Vector | None
    """(dimensions,); None: the strategy does not use vectors."""
    strategy: Strategy
    passing: AllowedChunks
    tells_excluded: bool = False
    """Whether to find the chunks that predicates exclude, which takes another search."""

    @cached_property
    def allowed(self) -> Mask | None:
        """(n,) chunks that may be returned; None: all."""
        return self.passing.mask(self.snapshot)

    @property
    def meaning(self) -> Vector:
        """(dimensions,) vector of the question. Raises ValueError if the strategy does not use vectors."""
        if self.vector is None:
            raise ValueError(f"strategy {self.strategy.name!r} re-ranks, and the question was not embedded")
        return self.vector

    def measured(self, positions: Positions, strongest: float | None = None) -> Candidates:
        """Return these chunks, in ascending order, as candidates; for the arguments, see `Candidates.of`."""
        return Candidates.of(self.snapshot, self.question, self.meaning, positions, strongest)


def rank(search: Search, k: int, watch: Stopwatch) -> Ranking:
    """Return the k best chunks that may be returned, best first; ties by id.

    Args:
        k: the number of chunks; fewer are returned only if fewer exist.
        watch: records the stages.
    """
    return _rank_candidates(search, k, watch) if search.strategy.reranks else _rank_legs(search, k, watch)


def candidates(search: Search) -> Candidates:
    """Return the candidates of a question: chunks found by words, names and vectors, and the best rows of the tables
    whose texts fit best."""
    snapshot, allowed = search.snapshot, search.allowed
    retrieved = first_stage_chunks(snapshot, search.question, search.vector, PER_LEG, search.passing)
    rows = rows_of_best_tables(snapshot, search.question, search.meaning, retrieved, allowed)
    positions = distinct(np.concatenate([retrieved, rows]))
    if (len(snapshot) if allowed is None else np.count_nonzero(allowed)) <= FEW:
        positions = np.arange(len(snapshot)) if allowed is None else np.flatnonzero(allowed)
    return search.measured(positions)


def _displaced(search: Search, pool: Candidates, k: int) -> Positions | None:
    """Return the chunks that would be among the k best candidates by first score if no predicate excluded them; None:
    not requested."""
    if not search.tells_excluded:
        return None
    allowed, everything = search.allowed, AllowedChunks(None, search.passing.where)
    if search.passing.admitted is None or allowed is None:
        return np.empty(0, dtype=np.int64)
    retrieved = first_stage_chunks(search.snapshot, search.question, search.vector, PER_LEG, everything)
    both = search.measured(distinct(np.concatenate([pool.positions, retrieved[~allowed[retrieved]]])))
    first = both.positions[best(both.first, k)]
    displaced: Positions = first[~allowed[first]]
    return displaced


def _rank_candidates(search: Search, k: int, watch: Stopwatch) -> Ranking:
    with watch.stage("candidates"):
        pool = candidates(search)
        displaced = _displaced(search, pool, k)
    if not len(pool.positions):
        return Ranking(pool.positions, np.zeros(0), displaced=displaced)
    with watch.stage("rank"):
        reranked = rerank(search.snapshot, search.question, pool, search.strategy.trees)
        collapsed = collapse(pool, search.question, reranked.scores, search.strategy.collapse)
        order = best(collapsed.scores, max(k, CONTENDERS + 1))
        positions, scores = pool.positions[order], collapsed.scores[order]
        if len(positions) < k:
            positions, scores = _filled(search, pool, positions, scores, k)
        beside = _beside(search, positions[: contenders(scores)])
        put = placed(positions, scores, beside).with_prose(_nearest_prose(pool, search.strategy.prose_among)).first(k)
    with watch.stage("evidence"):
        own = reranked.parts(put.positions, _of_others(pool, positions, scores, put.positions))
        fall = collapsed.leg(put.positions)
        parts = put.parts(own if fall is None else [*own, fall])
        evidence = dict(_evidence(search, pool, put.positions))
        if fall is not None:
            evidence[ROWS_BEHIND] = collapsed.rows_behind(pool, put.positions)
        return Ranking(put.positions, put.scores, evidence, parts, displaced)


def _filled(search: Search, pool: Candidates, positions: Positions, scores: Scores, k: int) -> tuple[Positions, Scores]:
    """Return a ranking of all candidates, extended with other chunks that may be returned, in the order of their first
    scores."""
    allowed = search.allowed
    others = np.ones(len(search.snapshot), dtype=np.bool_) if allowed is None else allowed.copy()
    others[pool.positions] = False
    rest = search.measured(np.flatnonzero(others), pool.strongest)
    order = best(rest.first, k - len(positions))
    behind = scores[-1] - 1.0 + rest.first[order] - rest.first.max(initial=0.0)
    return np.concatenate([positions, rest.positions[order]]), np.concatenate([scores, behind])


def _of_others(pool: Candidates, positions: Positions, scores: Scores, wanted: Positions) -> Scores:
    """Return the scores of those of some chunks that are ranked but not candidates; 0 for all others."""
    filled = ~np.isin(positions, pool.positions)
    known = dict(zip(positions[filled].tolist(), scores[filled].tolist(), strict=True))
    return np.asarray([known.get(position, 0.0) for position in wanted.tolist()])


def _beside(search: Search, ranked: Positions) -> Positions:
    """Return the context of the first rows of some contenders, if the strategy has places for it."""
    if not search.strategy.companions:
        return np.empty(0, dtype=np.int64)

    def best_of(rows: Positions) -> int:
        ordered = np.sort(rows)
        return int(ordered[best(fit_alone(search.snapshot, search.question, search.meaning, ordered), 1)[0]])

    return context_rows(search.snapshot.graph, ranked.tolist(), search.strategy.companions, best_of, search.allowed)


def _nearest_prose(pool: Candidates, among: int) -> int | None:
    """Return the position of the prose whose vector is nearest, if it is among as many nearest candidates."""
    nearest = best(pool.dense, among)
    prose = nearest[~pool.is_row[nearest]]
    return int(pool.positions[prose[0]]) if len(prose) else None


def _evidence(search: Search, pool: Candidates, positions: Positions) -> Mapping[str, Scores]:
    """Return the evidence for ranked chunks, by name; those that are not candidates are measured now."""
    is_candidate = np.isin(positions, pool.positions)
    values = pool.at(positions[is_candidate])
    if is_candidate.all():
        return values
    others = np.sort(positions[~is_candidate])
    beyond = search.measured(others, pool.strongest).at(positions[~is_candidate])
    evidence = {name: np.zeros(len(positions)) for name in values}
    for name, every in evidence.items():
        every[is_candidate], every[~is_candidate] = values[name], beyond[name]
    return evidence


def _rank_legs(search: Search, k: int, watch: Stopwatch) -> Ranking:
    """Rank all chunks that may be returned by BM25, cosine or both, plus the boost of the graph."""
    snapshot, strategy = search.snapshot, search.strategy
    with watch.stage("lexical"):
        lexical = snapshot.lexical.scores(search.question.text) if strategy.has_lexical_leg else None
    cosines = None if search.vector is None else Cosines(snapshot.vectors, search.vector).all
    allowed = search.allowed
    with watch.stage("rank"):
        measured = {name: scores for name, scores in (("lexical", lexical), ("dense", cosines)) if scores is not None}
        weights = {"lexical": strategy.lexical_weight, "dense": strategy.dense_weight}
        legs = _scaled([Leg(scores, weights[name], name) for name, scores in measured.items()])
        base = total(legs)
        gains = np.zeros(0) if strategy.graph is None else graph_boost(base, snapshot.graph, strategy.graph, allowed)
        scores = base if strategy.graph is None else base + gains
        positions = best(scores, k, allowed)
        displaced = np.empty(0, dtype=np.int64)
        if search.passing.admitted is not None and allowed is not None:
            unfiltered = best(scores, k, search.passing.where)
            displaced = unfiltered[~allowed[unfiltered]]
        raises = {} if strategy.graph is None else {BASE: base[positions], GAIN: gains[positions]}
        parts = [leg.scaled(leg.scores[positions], leg.weight) for leg in legs]
        parts += [Leg(gain, name=name) for name, gain in raises.items() if name == GAIN]
        evidence = {name: values[positions] for name, values in measured.items()} | raises
        return Ranking(positions, scores[positions], evidence, parts, displaced)


def _scaled(legs: Sequence[Leg]) -> Sequence[Leg]:
    """Return the legs as they are summed: a single one unchanged, two scaled to 0-1."""
    return [leg.scaled(leg.scores, 1.0) if len(legs) == 1 else weighted_min_max(leg) for leg in legs]


def graph_boost(
    scores: Scores, graph: Graph, boost: GraphBoost, allowed: npt.NDArray[np.bool_] | None = None
) -> Scores:
    """Return the boost of each chunk, (n,); add it to the scores and mask again.

    The last edge of a walk is looked up from the candidates: a section or a trait with thousands of chunks is never
    expanded at the recommended depth of 2, so the cost depends on the candidates and not on the library.

    Args:
        scores: (n,) fused scores.
        allowed: (n,); False for chunks that may not be returned; they are neither seeds nor boosted.
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


GAIN, BASE = "graph_boost", "base_score"
"""The boost of the graph, and the score before it, which is already a sum and not an addend."""
