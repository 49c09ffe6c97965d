"""Which chunks a question's predicates let through, by position."""

from dataclasses import dataclass

import numpy as np

from retrieval.arrays import Integers
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.compiled.kept_out import CompiledKeptOut


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """What query_must says of one question: of the few chunks that it decides, not of all."""

    guarded: Integers
    """Chunks of the guarded collection whose query_must the question satisfies, rising."""
    kept_out: CompiledKeptOut
    """Chunks of either collection that are kept out because the question names a rival of theirs."""

    def mask(self, snapshot: Snapshot, where: Mask | None = None) -> Mask:
        """(n,): True for every chunk that may come back: query_must holds, and the caller's filter passes it."""
        mask = ~np.asarray(snapshot.predicates.guarded)
        mask[self.guarded] = True
        mask[self.kept_out.positions] = False
        return mask if where is None else mask & where
