"""Candidates from a snapshot's memory-mapped files: by words, names and vectors.

The chunks that may be returned are known first, and only those are compared. In a large library, the regions nearest to
the question are searched until enough such chunks are found; they are compared exactly. A strict filter makes a search
look further, so it finds no fewer of the true neighbours, and k if k exist.

It takes long to determine for many rows whether a question excludes them by naming others, so the nearest are checked
first; if these are not enough, all are.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from retrieval.files.arrays import Integers, distinct
from retrieval.index.regions import Regions
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import Documents, Selection
from retrieval.query_must.compiled.sibling_index import CompiledExclusions
from retrieval.search.candidates import word_weights
from retrieval.search.fusion import Cosines, Leg, Positions, Ranking, Scores, best, similarity
from retrieval.search.query import Query
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


@dataclass(frozen=True, slots=True, eq=False)
class AllowedChunks:
    """The chunks that may be returned for one question."""

    admitted: Admission | None = None
    """The decision of query_must for the question; None: it is not applied."""
    where: Mask | None = None
    """(n,) the chunks that pass the caller's filter; None: all."""

    def mask(self, snapshot: Snapshot) -> Mask | None:
        """Return (n,) True for every chunk that may be returned; None: all may."""
        return self.where if self.admitted is None else self.admitted.mask(snapshot, self.where)

    def among(self, snapshot: Snapshot, positions: Positions) -> Positions:
        """Return those of some chunks that may be returned, in their order."""
        is_allowed = np.ones(len(positions), dtype=np.bool_) if self.where is None else self.where[positions]
        if self.admitted is not None:
            guarded = np.asarray(snapshot.predicates.guarded)[positions]
            is_allowed &= ~guarded | np.isin(positions, self.admitted.guarded)
            is_allowed &= ~self.admitted.kept_out.among(positions)
        allowed: Positions = positions[is_allowed]
        return allowed


def named_rows(snapshot: Snapshot, question: Query, k: int, passing: AllowedChunks) -> Positions:
    """Return the k rows whose names contain most of the question's words, ascending."""
    weights = word_weights(snapshot, words := snapshot.lexical.read(question.text))
    numbered = snapshot.predicates.named(question.canonical)
    quoted = snapshot.chunk_tables.values.quotes(words, weights)
    positions = passing.among(snapshot, distinct(np.concatenate([numbered.positions, quoted.positions])))
    share = np.zeros(len(positions))
    for named, weight in ((numbered.positions, numbered.weights), (quoted.positions, quoted.name + quoted.cell)):
        key = np.searchsorted(positions, named)
        here = np.flatnonzero(key < len(positions))
        here = here[positions[key[here]] == named[here]]
        np.add.at(share, key[here], weight[here])
    return np.sort(positions[best(share, k)])


COMPARED: int = 32_768
"""The fewest vectors that one question is compared with, if so many may be returned; more, so that the last region is
complete.

Of a million near-twin rows they included 99.3 % of the 15 nearest, and 98.3 % of those that the predicates of a
question admit; `python -m tools bench scale` measures it again."""
_MORE: Final = 16
"""At least this many times k vectors are compared."""
_FURTHER: Final = 8
"""At most this many times more are compared at once if too few may be returned."""
_SCATTERED: Final = 4
"""A scattered vector takes as long to compare as this many contiguous ones."""


def nearest_chunks(snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks) -> Positions:
    """Return the k nearest chunks that may be returned, nearest first, then by id; k if k exist.

    Args:
        vector: (dimensions,) vector of the question.
    """
    admitted = passing.admitted
    if admitted is None or admitted.kept_out.is_empty:
        return _first(*_compared(snapshot, vector, k, passing), k)
    near = _first(*_compared(snapshot, vector, k, passing), _FURTHER * k)
    positions: Positions = near[~admitted.kept_out.among(near)]
    if len(positions) >= k:
        return positions[:k]
    rest = AllowedChunks(None, passing.mask(snapshot))
    return _first(*_compared(snapshot, vector, k, rest), k)


def _compared(snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks) -> tuple[Positions, Scores]:
    """Return chunks that may be returned, without checking exclusions by named rows, and their cosines; k if k
    exist."""
    wanted, where, admitted = max(COMPARED, _MORE * k), passing.where, passing.admitted
    few = where is not None and np.count_nonzero(where) <= wanted
    if len(snapshot.regions) and wanted < len(snapshot) and not few:
        return compared_in_regions(snapshot, vector, wanted, passing)
    mask = np.ones(len(snapshot), dtype=np.bool_) if admitted is None else ~np.asarray(snapshot.predicates.guarded)
    if admitted is not None:
        mask[admitted.guarded] = True
    positions = np.flatnonzero(mask if where is None else mask & where)
    return positions, Cosines(snapshot.vectors, vector).at(positions)


def compared_in_regions(
    snapshot: Snapshot, vector: Vector, wanted: int, passing: AllowedChunks
) -> tuple[Positions, Scores]:
    """Return at least `wanted` chunks, or all, and their cosines; exclusions by named rows are not checked.

    The regions nearest to the question are searched first. If predicates apply, these are regions of unguarded chunks;
    the few guarded chunks that are admitted are compared as well.

    Args:
        snapshot: the snapshot to search; it must have regions.
        vector: (dimensions,) vector of the question.
        wanted: the number of chunks; more are returned so that the last region is complete.
    """
    regions, where, admitted = snapshot.regions, passing.where, passing.admitted
    compared: list[tuple[Positions, Scores]] = []
    if admitted is not None:
        guarded = admitted.guarded if where is None else admitted.guarded[where[admitted.guarded]]
        compared.append((guarded, Cosines(snapshot.vectors, vector).at(guarded)))
    order = regions.nearest_first(vector, guarded_too=admitted is None)
    ends = np.cumsum(regions.chunks.sizes(order))
    n_compared = start = 0
    further = float(wanted)
    while n_compared < wanted and start < len(order):
        stop = int(np.searchsorted(ends, further)) + 1
        compared.append(_in_these(regions, vector, order[start:stop], where))
        n_compared, start = n_compared + len(compared[-1][0]), stop
        # Continue as far as the share of seen chunks that may be returned suggests, but not much further at once.
        seen = int(ends[min(stop, len(ends)) - 1])
        further = seen + (wanted - n_compared) * min(seen / max(n_compared, 1), _FURTHER)
    positions, cosines = zip(*compared, strict=True)
    return np.concatenate(positions), np.concatenate(cosines)


def _in_these(regions: Regions, vector: Vector, numbers: Integers, where: Mask | None) -> tuple[Positions, Scores]:
    """Return the chunks of some regions that pass a filter, and their cosines."""
    chunks, vectors = regions.chunks, regions.vectors
    positions = chunks.gather(numbers).astype(np.int64)
    may = np.ones(len(positions), dtype=np.bool_) if where is None else where[positions]
    if np.count_nonzero(may) * _SCATTERED < len(positions):
        return positions[may], Cosines(vectors, vector).at(chunks.places(numbers)[may])
    cosines = np.empty(len(positions), dtype=np.float32)
    end = 0
    for first, stop in zip(chunks.starts[numbers].tolist(), chunks.starts[numbers + 1].tolist(), strict=True):
        begin, end = end, end + stop - first
        np.vecdot(vectors[first:stop], vector, out=cosines[begin:end])
    return positions[may], cosines[may].astype(np.float64)


def _first(positions: Positions, cosines: Scores, k: int) -> Positions:
    """Return the k with the largest cosines, largest first; ties by position."""
    if len(positions) > k:
        # All that equal the last are included: their positions decide.
        pool = np.flatnonzero(cosines >= np.partition(cosines, -k)[-k])
        positions, cosines = positions[pool], cosines[pool]
    nearest: Positions = positions[np.lexsort((positions, -cosines))[:k]]
    return nearest


SCORED_WHOLE: int = 200_000
"""Up to this many chunks, every chunk with a word of the question is scored."""
WORDED: Final = 65_536
"""In a larger library, the chunks that the question's words find together; more if too few of them may be returned."""


def first_stage_chunks(
    snapshot: Snapshot, question: Query, vector: Vector | None, k: int, passing: AllowedChunks
) -> Positions:
    """Return what words, names and vectors find, k of each: ascending, each chunk once."""
    query, allowed = Asked(snapshot, question.text, vector), passing.mask(snapshot)
    words, near = worded_chunks(query, k, allowed), _nearest(query, k, passing, allowed)
    return distinct(np.concatenate([named_rows(snapshot, question, k, passing), words, near]))


_NONE: Final = np.zeros(0, dtype=np.int64)


class Asked:
    """One question to one snapshot; values used repeatedly are computed once."""

    def __init__(self, snapshot: Snapshot, question: str, vector: Vector | None) -> None:
        self.snapshot, self.question, self.vector = snapshot, question, vector
        self.cosines = None if vector is None else Cosines(snapshot.vectors, vector)

    @cached_property
    def lexical(self) -> Scores:
        """(n,) BM25."""
        return self.snapshot.lexical.scores(self.question)

    @cached_property
    def has_word(self) -> Mask:
        """(n,) whether a chunk contains a word of the question."""
        index = self.snapshot.lexical
        mask = np.zeros(len(self.snapshot), dtype=np.bool_)
        for positions in index.words.postings(list(dict.fromkeys(index.looked_for(self.question)))):
            mask[positions] = True
        return mask


def _nearest(query: Asked, k: int, passing: AllowedChunks, allowed: Mask | None) -> Positions:
    snapshot, vector = query.snapshot, query.vector
    if vector is None or query.cosines is None:
        return _NONE
    if len(snapshot) > COMPARED:
        return nearest_chunks(snapshot, vector, k, passing)
    return best(query.cosines.all, k, allowed)


def worded_chunks(query: Asked, k: int, allowed: Mask | None) -> Positions:
    """Return the k best chunks by BM25 that contain a word of the question and may be returned, best first.

    Rows of one table often have equal scores: of those, the nearest are returned.

    Args:
        allowed: (n,) chunks that may be returned; None: all.
    """
    snapshot = query.snapshot
    if len(snapshot) <= SCORED_WHOLE:
        worded = query.has_word if allowed is None else query.has_word & allowed
        return _nearest_of_equals(query, k, query.lexical, worded)
    chunks = Selection.of(_rare(snapshot, query.question, allowed, k), len(snapshot))
    scores = snapshot.lexical.scores(query.question, chunks)
    free = None if allowed is None else allowed[chunks.positions]
    return chunks.positions[_nearest_of_equals(query, k, scores, free, chunks.positions)]


def _nearest_of_equals(
    query: Asked, k: int, scores: Scores, allowed: Mask | None, positions: Positions | None = None
) -> Positions:
    """Return the k best of some scores; of those equal to the last, the nearest. `positions`: of the scores."""
    first = best(scores, k, allowed)
    if len(first) < k or query.cosines is None:
        return first
    last = scores[first[-1]]
    above, equal = first[scores[first] > last], np.flatnonzero(scores == last)
    equal = equal if allowed is None else equal[allowed[equal]]
    if len(equal) <= k - len(above):
        return first
    cosines = query.cosines.at(equal if positions is None else positions[equal])
    return np.concatenate([above, equal[best(cosines, k - len(above))]])


def _rare(snapshot: Snapshot, question: str, allowed: Mask | None, k: int) -> list[Documents]:
    """Return the postings of the rarest words, until another would be too many and enough chunks may be returned."""
    words = list(dict.fromkeys(snapshot.lexical.looked_for(question)))
    documents: list[Documents] = []
    n_postings, missing = 0, k
    for postings in sorted(filter(len, snapshot.lexical.words.postings(words)), key=len):
        if documents and missing <= 0 and n_postings + len(postings) > WORDED:
            break
        documents.append(postings)
        n_postings += len(postings)
        missing -= len(postings) if allowed is None else int(np.count_nonzero(allowed[postings]))
    return documents


def ranked_by_distance(snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks, *, debug: bool) -> Ranking:
    """Return the k nearest chunks that may be returned, by exact distance, then id.

    Args:
        vector: (dimensions,) vector of the question.
        debug: whether to find the chunks excluded by query_must that would have been among the first k.
    """
    positions, scores = _by_distance(snapshot, vector, k, passing)
    displaced: Positions | None = np.empty(0, dtype=np.int64)
    if passing.admitted is not None:
        displaced = None
        if debug:
            unfiltered, _ = _by_distance(snapshot, vector, k, AllowedChunks(None, passing.where))
            displaced = unfiltered[~passing.admitted.mask(snapshot, passing.where)[unfiltered]]
    return Ranking(positions, scores, {"dense": scores}, [Leg(scores, name="dense")], displaced)


def _by_distance(snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks) -> tuple[Positions, Scores]:
    positions = nearest_chunks(snapshot, vector, k, passing)
    scores = similarity(snapshot.vectors[positions], vector)
    order = np.lexsort((positions, -scores))[:k]
    return positions[order], scores[order]
