"""Filter first: the admitted guarded chunks are known before anything is searched.

Chunks without a query_must lie in the open collection, which is asked plainly. Of the guarded ones the compiled
predicates name the few that this question admits; they are scored exactly. A question that admits none of them gets
the open collection's answer unchanged.
"""

import numpy as np
import numpy.typing as npt

from retrieval.index.chroma import CollectionName
from retrieval.index.snapshot import Snapshot
from retrieval.search.cosine import similarity
from retrieval.search.fusion import Positions, best
from retrieval.search.ranking import Ranking
from retrieval.types import Vector


def nearest_in(
    snapshot: Snapshot, name: CollectionName, vector: Vector, k: int, seen: frozenset[str] = frozenset()
) -> Positions:
    """Positions of the k nearest chunks of one collection that were not seen yet, in no particular order.

    Chroma's graph may give fewer than there are; the exact scan then gives the rest.
    """
    found = snapshot.chunks.positions(snapshot.collections.nearest(name, vector, k, excluding=seen).ids)
    manifest = snapshot.manifest
    size = manifest.n_guarded if name == "guarded" else manifest.n_open
    return found if len(found) >= min(k, size - len(seen)) else _scan(snapshot, name, vector, k, seen)


def nearest_unfiltered(snapshot: Snapshot, vector: Vector, k: int) -> Ranking:
    """The k nearest chunks, query_must ignored: both collections asked and merged."""
    found = [nearest_in(snapshot, "open", vector, k), nearest_in(snapshot, "guarded", vector, k)]
    return by_distance(snapshot, np.concatenate(found), vector, k)


def nearest_admitted(
    snapshot: Snapshot, vector: Vector, k: int, admitted: Positions, *, debug: bool = False
) -> Ranking:
    """The k nearest chunks among the open and the admitted ones.

    Args:
        snapshot: where to search.
        vector: (dimensions,).
        k: how many; that many come back where they exist.
        admitted: positions of the guarded chunks whose query_must the question satisfies.
        debug: also find out which excluded chunks would have been among the first k.
    """
    candidates = np.concatenate([nearest_in(snapshot, "open", vector, k), admitted])
    ranking = by_distance(snapshot, candidates, vector, k)
    if not debug:
        return ranking
    unfiltered = nearest_unfiltered(snapshot, vector, k).positions
    guarded = unfiltered[np.asarray(snapshot.predicates.guarded)[unfiltered]]
    displaced = guarded[~np.isin(guarded, admitted)]
    return Ranking(ranking.positions, ranking.scores, ranking.evidence, displaced=displaced)


def admitted_mask(snapshot: Snapshot, admitted: Positions) -> npt.NDArray[np.bool_]:
    """(n,): True for every chunk that may come back."""
    mask = ~np.asarray(snapshot.predicates.guarded)
    mask[admitted] = True
    return mask


def by_distance(snapshot: Snapshot, positions: Positions, vector: Vector, k: int) -> Ranking:
    """The k nearest of these chunks by exact distance, then id: equal wherever a chunk was found."""
    scores = similarity(snapshot.vectors[positions], vector)
    order = np.lexsort((positions, -scores))[:k]
    return Ranking(positions[order], scores[order], {"dense": scores[order]})


def _scan(snapshot: Snapshot, name: CollectionName, vector: Vector, k: int, seen: frozenset[str]) -> Positions:
    members = np.asarray(snapshot.predicates.guarded) == (name == "guarded")
    members[snapshot.chunks.positions(sorted(seen))] = False
    return best(similarity(snapshot.vectors, vector), k, members)
