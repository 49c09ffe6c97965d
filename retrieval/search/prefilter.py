"""Filtering before the search: the admitted chunks are known first, and only those are compared.

The compiled predicates select the few guarded chunks that a question admits; unguarded chunks pass, except for rows
that the question excludes because it names their rivals.
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
    """The decisions of query_must for one question: only for the few chunks that it affects."""

    guarded: Integers
    """Guarded chunks whose query_must the question satisfies, ascending."""
    kept_out: CompiledExclusions
    """Chunks that are excluded because the question names a rival of theirs."""

    def mask(self, snapshot: Snapshot, where: Mask | None = None) -> Mask:
        """Return (n,) True for every chunk that may be returned: query_must holds, and it passes the caller's
        filter."""
        mask = ~np.asarray(snapshot.predicates.guarded)
        mask[self.guarded] = True
        mask[self.kept_out.positions] = False
        return mask if where is None else mask & where


def by_distance(snapshot: Snapshot, positions: Positions, vector: Vector, k: int) -> Ranking:
    """Return the k nearest of these chunks by exact distance, then id: the same result wherever a chunk was found."""
    scores = similarity(snapshot.vectors[positions], vector)
    order = np.lexsort((positions, -scores))[:k]
    score = scores[order]
    return Ranking(positions[order], score, {"dense": score}, [Leg(score, name="dense")])
