"""What a report shows only where it is asked for: gold with its neighbours in the graph, and searches by chapters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evals.evaluation import SHIPPED, Evaluation
from evals.scored_questions import ScoredQuestion
from pipeline.report.differences import Difference, differences, question_key
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.strategies import VARIANTS
from retrieval.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Extras:
    """What is asked for besides."""

    boost: bool = False
    """Score the published plan's own strategy too."""
    expand_gold: bool = False
    chapter_routing: bool = False

    def strategies(self, usual: Sequence[Strategy]) -> tuple[Strategy, ...]:
        """Those of the leaderboard."""
        return (*usual, *([VARIANTS["seed"]] if self.boost else []))

    def routed(self, shipped: Strategy) -> tuple[Strategy, ...]:
        """What ships, and what ships within chapters; nothing where that is not asked for."""
        if not self.chapter_routing:
            return ()
        return (shipped, *(each for each in VARIANTS.values() if each.name.startswith(f"{SHIPPED}+routing")))


NO_EXTRAS = Extras()


@dataclass(frozen=True, slots=True)
class ExpandedGold:
    """A strategy where the chunks one edge away from the gold count as gold too. Key: strategy."""

    strategy: str
    n: int
    added: float
    """Chunks that a question's gold gains, in the mean."""
    mrr: float
    mrr_expanded: float
    hit_at_1: float
    hit_at_1_expanded: float

    @property
    def delta(self) -> float:
        """How much `mrr` gains; never below 0."""
        return self.mrr_expanded - self.mrr


@dataclass(frozen=True, slots=True)
class Routed:
    """What ships, within the chapters that speak most for a question. Key: strategy."""

    strategy: str
    chapters: str
    """How many are kept."""
    coverage: float
    """Of the gold that the whole search has among its first 100, the share that is still there."""
    mrr: float
    difference: Difference | None
    """Of `mrr`, against what ships; None for that itself."""


@dataclass(frozen=True, slots=True)
class Harness:
    """The parts that were asked for; empty where they were not."""

    expanded: tuple[ExpandedGold, ...] = ()
    routed: tuple[Routed, ...] = ()


NOTHING_MORE = Harness()


def harness_of(extras: Extras, snapshot: Snapshot, scores: Evaluation, routed: Evaluation | None) -> Harness:
    """Gather what is asked for.

    Args:
        extras: what is.
        snapshot: whose graph is followed.
        scores: of the leaderboard's strategies.
        routed: of `extras.routed`; None where it names none.
    """
    rows = [row for row in scores.headline_rows() if row.gold]
    asked = [row for row in routed.headline_rows() if row.gold] if routed else []
    return Harness(_expanded(rows, snapshot) if extras.expand_gold else (), _routed(asked))


def neighbours_of(gold: Sequence[str], snapshot: Snapshot) -> frozenset[str]:
    """The chunks one edge away from these; rows of the gold's own table are never among them."""
    places = np.asarray(snapshot.chunks.positions(list(gold)), dtype=np.int64)
    _, found = snapshot.graph.neighbours(places)
    chunks = (int(node) for node in found if node < snapshot.graph.n_chunks)
    return frozenset(snapshot.chunks.id_at(place) for place in chunks) - set(gold)


def _expanded(rows: Sequence[ScoredQuestion], snapshot: Snapshot) -> tuple[ExpandedGold, ...]:
    added: dict[tuple[str, ...], frozenset[str]] = {}
    found = []
    for name in dict.fromkeys(row.strategy for row in rows):
        own = [row for row in rows if row.strategy == name]
        for row in own:
            added.setdefault(row.gold, neighbours_of(row.gold, snapshot))
        wide = [_first(row.deep_chunk_ids, added[row.gold].union(row.gold)) for row in own]
        narrow = [_first(row.deep_chunk_ids, row.gold) for row in own]
        found.append(
            ExpandedGold(
                name,
                len(own),
                sum(len(added[row.gold]) for row in own) / len(own),
                *(_mean([1 / rank if rank else 0.0 for rank in ranks]) for ranks in (narrow, wide)),
                *(_mean([float(rank == 1) for rank in ranks]) for ranks in (narrow, wide)),
            )
        )
    return tuple(found)


def _first(ranking: Sequence[str], wanted: frozenset[str] | Sequence[str]) -> int:
    return next((rank for rank, name in enumerate(ranking, start=1) if name in wanted), 0)


def _routed(rows: Sequence[ScoredQuestion]) -> tuple[Routed, ...]:
    whole = {question_key(row): row for row in rows if row.strategy == SHIPPED}
    found = []
    for name in dict.fromkeys(row.strategy for row in rows):
        own = [row for row in rows if row.strategy == name]
        compared = None
        if name != SHIPPED:
            theirs = [replace(row, strategy=name) for row in whole.values()]
            compared = differences(own, theirs, ("mrr",))[0]
        mrr = _mean([row.values["mrr"] for row in own])
        found.append(Routed(name, _chapters(name), _coverage(own, whole), mrr, compared))
    return tuple(found)


def _chapters(name: str) -> str:
    routing = VARIANTS[name].routing if name in VARIANTS else None
    if routing is None:
        return "all"
    return f"{routing.chapters}, all where they are weak" if routing.unrouted_when_weak else str(routing.chapters)


def _coverage(rows: Sequence[ScoredQuestion], whole: Mapping[str, ScoredQuestion]) -> float:
    reached = kept = 0
    for row in rows:
        known = set(row.gold).intersection(whole[question_key(row)].deep_chunk_ids)
        reached += len(known)
        kept += len(known.intersection(row.deep_chunk_ids))
    return kept / reached if reached else 1.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
