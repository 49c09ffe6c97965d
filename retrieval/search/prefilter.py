"""Filtering before the search: what is admitted is known first, and only that is compared.

The compiled predicates name the few guarded chunks that a question admits; all others pass, but for rows that the
question keeps out because it names their rivals.
"""

from dataclasses import dataclass

import numpy as np

from retrieval.files.arrays import Integers
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.compiled.exclusions import CompiledExclusions
from retrieval.search.cosines import similarity
from retrieval.search.fusion import Leg, Positions, Ranking
from retrieval.types import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """What query_must says of one question: of the few chunks that it decides, not of all."""

    guarded: Integers
    """Guarded chunks whose query_must the question satisfies, rising."""
    kept_out: CompiledExclusions
    """Chunks that are kept out because the question names a rival of theirs."""

    def mask(self, snapshot: Snapshot, where: Mask | None = None) -> Mask:
        """(n,): True for every chunk that may come back: query_must holds, and the caller's filter passes it."""
        mask = ~np.asarray(snapshot.predicates.guarded)
        mask[self.guarded] = True
        mask[self.kept_out.positions] = False
        return mask if where is None else mask & where


def by_distance(snapshot: Snapshot, positions: Positions, vector: Vector, k: int) -> Ranking:
    """The k nearest of these chunks by exact distance, then id: equal wherever a chunk was found."""
    scores = similarity(snapshot.vectors[positions], vector)
    order = np.lexsort((positions, -scores))[:k]
    score = scores[order]
    return Ranking(positions[order], score, {"dense": score}, [Leg(score, name="dense")])
