"""The published algorithm over a snapshot: both collections asked in every round and merged, as if they were one."""

from collections.abc import Sequence

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.refusal import refusal
from retrieval.search.dense.cosine import similarity
from retrieval.search.dense.iterative import Neighbour, iterate
from retrieval.search.dense.prefilter import nearest_in
from retrieval.search.fusion import Leg, Positions, best
from retrieval.search.query import Query
from retrieval.search.ranking import Ranking
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Vector


def nearest_in_rounds(
    snapshot: Snapshot, question: Query, vector: Vector, k: int, strategy: Strategy, where: Mask | None = None
) -> Ranking:
    """The k nearest chunks that satisfy their query_must, found by asking again; perhaps fewer than there are.

    Args:
        snapshot: where to search.
        question: what was asked.
        vector: (dimensions,).
        k: how many, and how many each round looks at.
        strategy: says how many rounds there are at most.
        where: (n,) the chunks that the caller's filter passes; None: all.
    """

    met: dict[str, Chunk] = {}

    def say(candidate: Neighbour) -> str:
        return refusal(question.text, question.canonical, candidate.query_must, met[candidate.id])

    def ask(wanted: int, before: Sequence[Neighbour]) -> list[Neighbour]:
        seen = frozenset(candidate.id for candidate in before)
        if where is not None:
            parts = [_passing(snapshot, vector, wanted, seen, where, guarded=guarded) for guarded in (False, True)]
        else:
            parts = [_unseen(snapshot, vector, wanted, seen, guarded=guarded) for guarded in (False, True)]
        found = np.concatenate(parts)
        distances = 1.0 - similarity(snapshot.vectors[found], vector)
        order = np.lexsort((found, distances))[:wanted]
        chunks = [snapshot.chunks[int(position)] for position in found[order]]
        met.update((chunk.id, chunk) for chunk in chunks)
        return [
            Neighbour(chunk.id, float(distance), chunk.title, chunk.query_must)
            for chunk, distance in zip(chunks, distances[order], strict=True)
        ]

    outcome = iterate(ask, lambda _: question.canonical, say, k, strategy.max_iterations)
    positions = snapshot.chunks.positions([candidate.id for candidate in outcome.kept])
    scores = np.asarray([1.0 - candidate.distance for candidate in outcome.kept])
    parts = [Leg(scores, name="dense")]
    return Ranking(
        positions,
        scores,
        {"dense": scores},
        parts,
        decisions=outcome.decisions,
        rounds=outcome.rounds,
        iterations=outcome.iterations,
        stopped=outcome.stopped,
    )


def _passing(
    snapshot: Snapshot, vector: Vector, wanted: int, seen: frozenset[str], where: Mask, *, guarded: bool
) -> Positions:
    members = where & (np.asarray(snapshot.predicates.guarded) == guarded)
    members[snapshot.chunks.positions(sorted(seen))] = False
    return best(similarity(snapshot.vectors, vector), wanted, members)


def _unseen(snapshot: Snapshot, vector: Vector, wanted: int, seen: frozenset[str], *, guarded: bool) -> Positions:
    flags = np.asarray(snapshot.predicates.guarded)[snapshot.chunks.positions(sorted(seen))]
    own = frozenset(chunk_id for chunk_id, flag in zip(sorted(seen), flags, strict=True) if flag == guarded)
    return nearest_in(snapshot, "guarded" if guarded else "open", vector, wanted, own)
