"""Scores with the neighbours of the gold in the graph counted as gold too; a report shows them on request."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.evaluation import Evaluation
from retrieval.index.snapshot.snapshot import Snapshot


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


def neighbours_of(gold: Sequence[str], snapshot: Snapshot) -> frozenset[str]:
    """The chunks one edge away from these; rows of the gold's own table are never among them."""
    places = np.asarray(snapshot.chunks.positions(list(gold)), dtype=np.int64)
    _, found = snapshot.graph.neighbours(places)
    chunks = (int(node) for node in found if node < snapshot.graph.n_chunks)
    return frozenset(snapshot.chunks.id_at(place) for place in chunks) - set(gold)


def expanded_gold_of(scores: Evaluation, snapshot: Snapshot) -> tuple[ExpandedGold, ...]:
    """The headline scores of every strategy beside those with expanded gold.

    Args:
        scores: of the leaderboard's strategies.
        snapshot: whose graph is followed.
    """
    rows = [row for row in scores.headline_rows() if row.gold]
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


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
