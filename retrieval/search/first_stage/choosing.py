"""The first stage that the settings name: our own vectors or Milvus."""

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.files.arrays import distinct
from retrieval.index.milvus import MOST, MilvusServer, MilvusStore
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import numbered_question
from retrieval.search.first_stage.own_vectors import (
    DEPTH,
    AllowedChunks,
    Asked,
    candidates_of_own,
    named_rows,
    nearest_of_own,
    worded_of_own,
)
from retrieval.search.fusion import Positions, Ranking
from retrieval.search.prefilter import by_distance
from retrieval.search.query import Query
from retrieval.settings import Settings
from retrieval.types import Vector


class FirstStage:
    """Finds candidates in one snapshot, in its own files. Chunks are given by their position in the order of ids.

    Args:
        snapshot: the snapshot to search; the caller closes it.
    """

    scores_all = True
    """Whether a ranking that needs words should score every chunk of its own files instead of asking for candidates."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def nearest(self, vector: Vector, k: int, passing: AllowedChunks) -> Positions:
        """Return the k nearest chunks that may be returned, nearest first; fewer if fewer exist.

        Args:
            vector: (dimensions,) vector of the question.
            k: the number of chunks.
            passing: which chunks may be returned.
        """
        return nearest_of_own(self._snapshot, vector, k, passing)

    def worded(self, question: str, k: int, passing: AllowedChunks) -> Positions:
        """Return the k best chunks by BM25 that contain a word of the question and may be returned, best first."""
        return worded_of_own(Asked(self._snapshot, question, None), k, passing.mask(self._snapshot))

    def named(self, question: Query, k: int, passing: AllowedChunks) -> Positions:
        """Return the k best rows that the question names and that may be returned, ascending."""
        return named_rows(self._snapshot, question, k, passing)

    def candidates(self, question: Query, vector: Vector | None, k: int, passing: AllowedChunks) -> Positions:
        """Return all chunks that these methods find, ascending, each once; without a vector, no nearest."""
        return candidates_of_own(self._snapshot, question, vector, k, passing)

    def close(self) -> None:
        """Close all connections and files that it opened."""


LISTED = 4096
"""The most chunks that a condition lists; beyond that, more chunks are requested and filtered here."""
_MORE, _LEAST = 4, 200
"""How many times more chunks are requested if too few may be returned, or because an index may miss some; and the
fewest neighbours that are requested."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The restriction on returned chunks, as a Milvus expression."""

    text: str
    """Empty: no restriction."""
    is_whole: bool
    """Whether it expresses the whole restriction."""

    @classmethod
    def of(cls, passing: AllowedChunks) -> "Condition":
        """Return the condition for the chunks that may be returned."""
        parts, whole = [], True
        if passing.admitted is not None:
            admitted = passing.admitted.guarded
            known = len(admitted) <= LISTED
            named = f" or position in {_list(admitted)}" if known and len(admitted) else ""
            parts += [f"(guarded == false{named})"] if known else []
            out = passing.admitted.kept_out.positions
            parts += [f"position not in {_list(out)}"] if 0 < len(out) <= LISTED else []
            whole = known and len(out) <= LISTED
        if passing.where is not None:
            inside, outside = np.flatnonzero(passing.where), np.flatnonzero(~passing.where)
            if len(inside) <= LISTED:
                parts.append(f"position in {_list(inside)}")
            elif len(outside) <= LISTED:
                parts += [f"position not in {_list(outside)}"] if len(outside) else []
            else:
                whole = False
        return cls(" and ".join(parts), whole)


class MilvusStage(FirstStage):
    """Gets candidates from Milvus. They are filtered again here: no chunk is returned that may not be.

    Args:
        snapshot: the snapshot to search.
        server: the server with its collection.
    """

    scores_all = False

    def __init__(self, snapshot: Snapshot, server: MilvusServer) -> None:
        super().__init__(snapshot)
        self._store = MilvusStore(server)
        self._let_go = weakref.finalize(self, self._store.close)

    def nearest(self, vector: Vector, k: int, passing: AllowedChunks) -> Positions:
        """See FirstStage; more are requested from the server's index, and the nearest are chosen by exact distance."""
        most = max(_MORE * k, _LEAST)
        positions = self._first_passing(most, passing, lambda wanted, text: self._store.nearest(vector, wanted, text))
        if positions is None or len(positions) < min(k, _count(self._snapshot, passing)):
            return super().nearest(vector, k, passing)
        return by_distance(self._snapshot, positions, vector, k).positions

    def worded(self, question: str, k: int, passing: AllowedChunks) -> Positions:
        """See FirstStage; by Milvus's BM25, whose word weights differ slightly from ours."""
        words = numbered_question(self._snapshot.lexical, question)
        if not words:
            return np.empty(0, dtype=np.int64)
        positions = self._first_passing(k, passing, lambda wanted, text: self._store.worded(words, wanted, text))
        return super().worded(question, k, passing) if positions is None else positions

    def candidates(self, question: Query, vector: Vector | None, k: int, passing: AllowedChunks) -> Positions:
        """See FirstStage; one hybrid search if the condition expresses the whole restriction."""
        named = self.named(question, k, passing)
        if vector is None:
            return distinct(np.concatenate([self.worded(question.text, k, passing), named]))
        if _count(self._snapshot, passing) <= k:
            mask = passing.mask(self._snapshot)
            return np.arange(len(self._snapshot)) if mask is None else np.flatnonzero(mask)
        words = numbered_question(self._snapshot.lexical, question.text)
        condition = Condition.of(passing)
        if words and condition.is_whole:
            positions = passing.among(self._snapshot, self._store.both(vector, words, k, condition.text))
            return distinct(np.concatenate([positions, named]))
        near, worded = self.nearest(vector, k, passing), self.worded(question.text, k, passing)
        return distinct(np.concatenate([near, worded, named]))

    def close(self) -> None:
        """See FirstStage; a second call has no effect."""
        self._let_go()

    def _first_passing(self, k: int, passing: AllowedChunks, ask: Callable[[int, str], Positions]) -> Positions | None:
        """Return the first k that may be returned; None if the server cannot return enough of them."""
        if passing.where is not None and not passing.where.any():
            return np.empty(0, dtype=np.int64)
        condition = Condition.of(passing)
        wanted = k if condition.is_whole else _MORE * k
        while True:
            positions = ask(min(wanted, MOST), condition.text)
            kept = passing.among(self._snapshot, positions)
            if len(kept) >= k or len(positions) < min(wanted, MOST) or condition.is_whole:
                return kept[:k]
            if wanted >= MOST:
                return None
            wanted *= _MORE


def _count(snapshot: Snapshot, passing: AllowedChunks) -> int:
    mask = passing.mask(snapshot)
    return len(snapshot) if mask is None else int(np.count_nonzero(mask))


def _list(positions: Sequence[int] | Positions) -> str:
    return f"[{', '.join(map(str, positions))}]"


def first_stage(snapshot: Snapshot) -> FirstStage:
    """Return the stage that the setting `store` of the snapshot's home names.

    Raises:
        IndexMissingError: the server it names cannot be reached, or its client is not installed.
        UnreadableSettingsError: the setting does not name a stage.
    """
    server = MilvusServer.of(Settings.read(snapshot.folder.parents[1]).store, snapshot.id)
    return FirstStage(snapshot) if server is None else MilvusStage(snapshot, server)


def candidate_mask(
    stage: FirstStage, snapshot: Snapshot, question: Query, vector: Vector | None, k: int, passing: AllowedChunks
) -> Mask | None:
    """Return (n,) the chunks that a ranking by legs scores; None if it scores all chunks.

    It also scores all if a stage finds fewer than requested: the rest may contain no word of the question.
    """
    if stage.scores_all:
        return None
    candidates = stage.candidates(question, vector, max(k, DEPTH), passing)
    if len(candidates) < k:
        return None
    mask = np.zeros(len(snapshot), dtype=np.bool_)
    mask[candidates] = True
    return mask


def ranked_by_distance(
    stage: FirstStage, snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks, *, debug: bool
) -> Ranking:
    """Return the k nearest of the chunks that a stage finds, by exact distance.

    Args:
        stage: the stage that finds the neighbours.
        snapshot: the snapshot to search.
        vector: (dimensions,) vector of the question.
        k: the number of chunks.
        passing: which chunks may be returned.
        debug: whether to find the chunks excluded by query_must that would have been among the first k.
    """
    ranking = by_distance(snapshot, stage.nearest(vector, k, passing), vector, k)
    if passing.admitted is None:
        return ranking
    if not debug:
        return Ranking(ranking.positions, ranking.scores, ranking.evidence, ranking.parts, displaced=None)
    unfiltered = by_distance(
        snapshot, stage.nearest(vector, k, AllowedChunks(None, passing.where)), vector, k
    ).positions
    displaced = unfiltered[~passing.admitted.mask(snapshot, passing.where)[unfiltered]]
    return Ranking(ranking.positions, ranking.scores, ranking.evidence, ranking.parts, displaced=displaced)
