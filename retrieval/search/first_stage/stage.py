"""What a first stage does: nearest by vector, best by words, named rows, all among what may come back."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from retrieval.arrays import distinct
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.dense.admission import Admission
from retrieval.search.evidence.evidence import word_weights
from retrieval.search.fusion import Positions, best
from retrieval.search.query import Query
from retrieval.types import Vector

DEPTH = 2000
"""Candidates of each kind. The careful ranking compares candidates with one another, so that a few hundred are not
enough for the same hits: `docs/how-to/scaling.md` has the counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Passing:
    """Which chunks may come back for one question."""

    admitted: Admission | None = None
    """What query_must says of the question; None: it is not asked."""
    where: Mask | None = None
    """(n,) the chunks that the caller's filter passes; None: all."""

    def mask(self, snapshot: Snapshot) -> Mask | None:
        """(n,): True for every chunk that may come back; None: all may."""
        return self.where if self.admitted is None else self.admitted.mask(snapshot, self.where)

    def among(self, snapshot: Snapshot, positions: Positions) -> Positions:
        """Those of some chunks that may come back, in their order."""
        kept = np.ones(len(positions), dtype=np.bool_) if self.where is None else self.where[positions]
        if self.admitted is not None:
            guarded = np.asarray(snapshot.predicates.guarded)[positions]
            kept &= ~guarded | np.isin(positions, self.admitted.guarded)
            kept &= ~self.admitted.kept_out.among(positions)
        found: Positions = positions[kept]
        return found


@dataclass(frozen=True, slots=True)
class Payload:
    """What a candidate brings with it. Key: position."""

    position: int
    id: str
    title: str
    text: str
    query_must: str | None


class FirstStage(Protocol):
    """Finds candidates in one snapshot. Chunks are meant by their position: their place in the order of ids."""

    scores_all: bool
    """Whether a ranking that needs words had better score every chunk of its own files than ask for candidates."""

    def nearest(self, vector: Vector, k: int, passing: Passing) -> Positions:
        """The k nearest chunks that may come back, nearest first; fewer where fewer exist.

        Args:
            vector: (dimensions,).
            k: how many.
            passing: which chunks may come back.
        """

    def worded(self, question: str, k: int, passing: Passing) -> Positions:
        """The k best chunks by BM25 that have a word of the question and may come back, best first."""

    def named(self, question: Query, k: int, passing: Passing) -> Positions:
        """The k best rows that the question calls by their names and that may come back, rising."""

    def candidates(self, question: Query, vector: Vector | None, k: int, passing: Passing) -> Positions:
        """What all of these find, rising, each chunk once; without a vector no nearest."""

    def payload(self, positions: Positions) -> tuple[Payload, ...]:
        """What these chunks are, in their order."""

    def close(self) -> None:
        """Let go of what is open."""


def named_rows(snapshot: Snapshot, question: Query, k: int, passing: Passing) -> Positions:
    """The k rows that a question names by most of its words, rising.

    Names are compiled in the snapshot, wherever the other candidates come from: they are few, and exact.
    """
    weights = word_weights(snapshot, words := snapshot.lexical.read(question.text))
    numbered = snapshot.predicates.named(question.canonical)
    quoted = snapshot.evidence.values.quotes(words, weights)
    positions = passing.among(snapshot, distinct(np.concatenate([numbered.positions, quoted.positions])))
    share = np.zeros(len(positions))
    for found, weight in ((numbered.positions, numbered.weights), (quoted.positions, quoted.name + quoted.cell)):
        place = np.searchsorted(positions, found)
        here = np.flatnonzero(place < len(positions))
        here = here[positions[place[here]] == found[here]]
        np.add.at(share, place[here], weight[here])
    return np.sort(positions[best(share, k)])
