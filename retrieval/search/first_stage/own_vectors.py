"""The nearest chunks from a snapshot's own vectors, which are mapped: no process holds them for itself.

What may come back is known first, and only that is compared. Of a large library the regions nearest to the question are
looked through until enough chunks that may come back are found; they are compared exactly. A filter that lets little
through makes a search look further, so it finds no fewer of the true neighbours, and k where k exist.

Which rows a question keeps out because it names others takes long to say of many, so it is asked of the nearest first;
where these are not enough, of all.
"""

from typing import Final

import numpy as np

from retrieval.arrays import Integers
from retrieval.index.regions.regions import Regions
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.dense.cosine import Cosines
from retrieval.search.first_stage.stage import Passing
from retrieval.search.fusion import Positions, Scores
from retrieval.types import Vector

COMPARED: int = 32_768
"""Vectors that one question is compared with, where so many may come back; more, so that the last region is whole.

Of a million near-twin rows they had 99.3 % of the 15 nearest, and 98.3 % of those that the predicates of a question let
through; `python -m tools bench scale` measures it again."""
_MORE: Final = 16
"""At least so many times what is asked for."""
_FURTHER: Final = 8
"""So many times more are looked at, at most, where too few may come back."""
_SCATTERED: Final = 4
"""A vector here and there is compared in the time of so many that lie side by side."""


def asks_server(snapshot: Snapshot) -> bool:
    """Whether the nearest chunks are asked of a Chroma server; otherwise our own files have them."""
    return snapshot.server is not None and not snapshot.scans


def nearest_of_own(snapshot: Snapshot, vector: Vector, k: int, passing: Passing) -> Positions:
    """The k nearest chunks that may come back, nearest first, then by id; k where k exist.

    Args:
        snapshot: what is searched.
        vector: (dimensions,).
        k: how many.
        passing: which chunks may come back.
    """
    admitted = passing.admitted
    if admitted is None or admitted.kept_out.is_empty:
        return _first(*_compared(snapshot, vector, k, passing), k)
    near = _first(*_compared(snapshot, vector, k, passing), _FURTHER * k)
    found: Positions = near[~admitted.kept_out.among(near)]
    if len(found) >= k:
        return found[:k]
    rest = Passing(None, passing.mask(snapshot))
    return _first(*_compared(snapshot, vector, k, rest), k)


def _compared(snapshot: Snapshot, vector: Vector, k: int, passing: Passing) -> tuple[Positions, Scores]:
    """Chunks that may come back, but for rows that others keep out, and their cosines; k where k exist."""
    wanted, where, admitted = max(COMPARED, _MORE * k), passing.where, passing.admitted
    few = where is not None and np.count_nonzero(where) <= wanted
    if len(snapshot.regions) and wanted < len(snapshot) and not few:
        return compared_in_regions(snapshot, vector, wanted, passing)
    mask = np.ones(len(snapshot), dtype=np.bool_) if admitted is None else ~np.asarray(snapshot.predicates.guarded)
    if admitted is not None:
        mask[admitted.guarded] = True
    positions = np.flatnonzero(mask if where is None else mask & where)
    return positions, Cosines(snapshot.vectors, vector).at(positions)


def compared_in_regions(snapshot: Snapshot, vector: Vector, wanted: int, passing: Passing) -> tuple[Positions, Scores]:
    """At least so many chunks as are wanted, or all, and their cosines; rows that others keep out are among them.

    The regions nearest to the question are looked through first. Where predicates are asked, these are regions of
    chunks that always pass; the few others that are admitted are compared besides.

    Args:
        snapshot: what is searched; a library that has regions.
        vector: (dimensions,).
        wanted: how many; more, so that the last region is whole.
        passing: which chunks may come back.
    """
    regions, where, admitted = snapshot.regions, passing.where, passing.admitted
    found: list[tuple[Positions, Scores]] = []
    if admitted is not None:
        guarded = admitted.guarded if where is None else admitted.guarded[where[admitted.guarded]]
        found.append((guarded, Cosines(snapshot.vectors, vector).at(guarded)))
    order = regions.nearest_first(vector, guarded_too=admitted is None)
    ends = np.cumsum(regions.chunks.sizes(order))
    held = start = 0
    further = float(wanted)
    while held < wanted and start < len(order):
        stop = int(np.searchsorted(ends, further)) + 1
        found.append(_in_these(regions, vector, order[start:stop], where))
        held, start = held + len(found[-1][0]), stop
        # As far again as the share that may come back of what was seen says, and not much further at once.
        seen = int(ends[min(stop, len(ends)) - 1])
        further = seen + (wanted - held) * min(seen / max(held, 1), _FURTHER)
    positions, cosines = zip(*found, strict=True)
    return np.concatenate(positions), np.concatenate(cosines)


def _in_these(regions: Regions, vector: Vector, numbers: Integers, where: Mask | None) -> tuple[Positions, Scores]:
    """The chunks of some regions that a filter passes, and their cosines."""
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
    """The k with the largest cosines, largest first; equals by position."""
    if len(positions) > k:
        # All that equal the last are looked at: their positions decide.
        pool = np.flatnonzero(cosines >= np.partition(cosines, -k)[-k])
        positions, cosines = positions[pool], cosines[pool]
    found: Positions = positions[np.lexsort((positions, -cosines))[:k]]
    return found
