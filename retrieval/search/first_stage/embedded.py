"""The first stage over a snapshot's own files, its vectors among them, or those of a Chroma server."""

import numpy as np

from retrieval.arrays import distinct
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.dense.prefilter import nearest_admitted, nearest_unfiltered
from retrieval.search.first_stage.own_vectors import asks_server, nearest_of_own
from retrieval.search.first_stage.stage import Passing, Payload, named_rows
from retrieval.search.fusion import Positions, best
from retrieval.search.query import Query
from retrieval.types import Vector


class EmbeddedStage:
    """See FirstStage.

    Args:
        snapshot: what is searched; who opened it closes it.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.scores_all = True

    def nearest(self, vector: Vector, k: int, passing: Passing) -> Positions:
        """See FirstStage."""
        if not asks_server(self._snapshot):
            return nearest_of_own(self._snapshot, vector, k, passing)
        if passing.admitted is None:
            return nearest_unfiltered(self._snapshot, vector, k, passing.where).positions
        return nearest_admitted(self._snapshot, vector, k, passing.admitted, passing.where).positions

    def worded(self, question: str, k: int, passing: Passing) -> Positions:
        """See FirstStage."""
        index = self._snapshot.lexical
        has_word = np.zeros(len(self._snapshot), dtype=np.bool_)
        for positions in index.words.postings(list(dict.fromkeys(index.looked_for(question)))):
            has_word[positions] = True
        mask = passing.mask(self._snapshot)
        return best(index.scores(question), k, has_word if mask is None else has_word & mask)

    def named(self, question: Query, k: int, passing: Passing) -> Positions:
        """See FirstStage."""
        return named_rows(self._snapshot, question, k, passing)

    def candidates(self, question: Query, vector: Vector | None, k: int, passing: Passing) -> Positions:
        """See FirstStage."""
        found = [self.worded(question.text, k, passing), self.named(question, k, passing)]
        if vector is not None:
            found.append(self.nearest(vector, k, passing))
        return distinct(np.concatenate(found))

    def payload(self, positions: Positions) -> tuple[Payload, ...]:
        """See FirstStage."""
        chunks = ((int(position), self._snapshot.chunks[int(position)]) for position in positions)
        return tuple(Payload(at, chunk.id, chunk.title, chunk.text, chunk.query_must) for at, chunk in chunks)

    def close(self) -> None:
        """The snapshot is closed by who opened it."""
