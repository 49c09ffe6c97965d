"""The first stage of a large library: the chunks that one question looks at, in place of all.

::

    the rarest words of the question ── the best by BM25 of the chunks that have one ──┐
    rows that it names, or whose query_must it satisfies ──────────────────────────────┼── ranked
    the nearest by vector ─────────────────────────────────────────────────────────────┘

A word that is in a large part of a library finds nothing in it, but it counts for the chunks that rarer words find. Of
what is looked at, the ranking is that of all chunks.
"""

from typing import Final

import numpy as np

from retrieval.index.chroma.contents import NAMES
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.selection import Documents, Selection
from retrieval.search.dense.cosine import Cosines
from retrieval.search.dense.prefilter import FEW
from retrieval.search.evidence.evidence import Evidence, Wanted, gather
from retrieval.search.evidence.portion import Portion
from retrieval.search.first_stage.own_vectors import asks_server, nearest_of_own
from retrieval.search.first_stage.stage import Passing
from retrieval.search.front import from_the_front
from retrieval.search.fusion import Positions, best
from retrieval.search.legs import Legs
from retrieval.search.query import Query
from retrieval.search.ranking import Ranking
from retrieval.search.rerank.rerank import BEST
from retrieval.search.stopwatch import Stopwatch
from retrieval.strategy import Strategy
from retrieval.types import Vector

SCORED_WHOLE: int = 200_000
"""Up to so many chunks every one is scored."""
WORDED: Final = 65_536
"""Chunks that words find together; more where too few of these may come back."""
DEEP: Final = 4096
"""The best of those by BM25, of what may come back."""
NEAREST: Final = 200
"""Chunks that are found by their vector."""


def is_ranked_from_a_portion(snapshot: Snapshot, strategy: Strategy) -> bool:
    """Whether a strategy looks at a part of a snapshot: it has two looks and nothing else, and the library is large."""
    alone = strategy.graph is None and not strategy.exhaustive
    return strategy.second_look and alone and len(snapshot) > SCORED_WHOLE


def ranked_from_a_portion(
    snapshot: Snapshot,
    question: Query,
    vector: Vector,
    strategy: Strategy,
    k: int,
    passing: Passing,
    watch: Stopwatch,
) -> Ranking | None:
    """The k best chunks, of those that one question looks at; None where these are too few.

    Args:
        snapshot: what is searched.
        question: what was asked.
        vector: (dimensions,) of the question.
        strategy: how; see `is_ranked_from_a_portion`.
        k: how many.
        passing: which chunks may come back.
        watch: gets the stages `candidates`, `evidence` and `rank`.
    """
    with watch.stage("candidates"):
        allowed = passing.mask(snapshot)
        chunks = looked_at(snapshot, question, vector, passing, allowed)
        free = _at(allowed, chunks)
    if _count(free, chunks) < min(max(k, BEST), _count(allowed, snapshot)):
        return None
    with watch.stage("evidence"):
        legs = _legs(snapshot, question, vector, chunks)
    with watch.stage("rank"):
        wanted: Wanted = [(max(k, BEST), free)]
        if passing.admitted is not None:
            wanted = [*wanted, (k, _at(passing.where, chunks))]
        return from_the_front(legs, snapshot, strategy, k, wanted, allowed)


def looked_at(snapshot: Snapshot, question: Query, vector: Vector, passing: Passing, allowed: Mask | None) -> Selection:
    """The chunks that one question looks at.

    Args:
        snapshot: what is searched.
        question: what was asked.
        vector: (dimensions,) of the question.
        passing: which chunks may come back.
        allowed: (n,) the same as a mask; where it passes few chunks, all of them are looked at. None: all may.
    """
    admitted = passing.admitted
    found: list[Documents] = [
        _worded(snapshot, question, vector, allowed, passing.where),
        _near(snapshot, vector, passing),
        snapshot.predicates.named(question.canonical).positions,
        admitted.guarded if admitted is not None else _NONE,
    ]
    few = [each for each in found[2:] if len(each) <= FEW]
    if allowed is not None and np.count_nonzero(allowed) <= FEW:
        few.append(np.flatnonzero(allowed))
    return Selection.of([*found[:2], *few], len(snapshot))


_NONE: Final = np.zeros(0, dtype=np.int64)


def _worded(snapshot: Snapshot, question: Query, vector: Vector, allowed: Mask | None, where: Mask | None) -> Positions:
    """The best by BM25 of the chunks that have a rare word of the question; some that may not come back among them."""
    index = snapshot.lexical
    chunks = Selection.of(_rare(snapshot, question, allowed), len(snapshot))
    scores, free = index.scores(question.text, chunks), _at(allowed, chunks)
    first = best(scores, DEEP, free)
    if len(first) == DEEP:
        # Thousands of rows may be as good as the last of them: the nearest of these are wanted, not any.
        last = scores[first[-1]]
        above, equal = first[scores[first] > last], np.flatnonzero(scores == last)
        equal = equal if free is None else equal[free[equal]]
        if len(equal) > DEEP - len(above):
            cosines = Cosines(snapshot.vectors, vector, chunks.positions).at(equal)
            first = np.concatenate([above, equal[best(cosines, DEEP - len(above))]])
    # The others say what was excluded, and the very best what a score is a share of.
    others = best(scores, DEEP // 4, _at(where, chunks)) if allowed is not None else _NONE
    found: Positions = chunks.positions[np.concatenate([first, others, best(scores, 1)])]
    return found


def _rare(snapshot: Snapshot, question: Query, allowed: Mask | None) -> list[Documents]:
    """The postings of the rarest words, until another would be too many and enough of them may come back."""
    words = list(dict.fromkeys(snapshot.lexical.looked_for(question.text)))
    found: list[Documents] = []
    # Where few may come back at all, these are looked at without a word.
    held, missing = 0, BEST if _count(allowed, snapshot) > FEW else 0
    for postings in sorted(filter(len, snapshot.lexical.words.postings(words)), key=len):
        if found and missing <= 0 and held + len(postings) > WORDED:
            break
        found.append(postings)
        held += len(postings)
        missing -= len(postings) if allowed is None else int(np.count_nonzero(allowed[postings]))
    return found


def _near(snapshot: Snapshot, vector: Vector, passing: Passing) -> Positions:
    """The nearest of what may come back, and of what the predicates exclude too; of each collection of a server."""
    if not asks_server(snapshot):
        free = nearest_of_own(snapshot, vector, NEAREST, passing)
        if passing.admitted is None:
            return free
        return np.concatenate([free, nearest_of_own(snapshot, vector, NEAREST, Passing(None, passing.where))])
    names = [name for name in NAMES if snapshot.collection_size(name)]
    found = [snapshot.collections.nearest(name, vector, NEAREST).ids for name in names]
    return snapshot.chunks.positions([each for ids in found for each in ids])


def _legs(snapshot: Snapshot, question: Query, vector: Vector, chunks: Selection) -> Legs:
    lexical = snapshot.lexical.scores(question.text, chunks)
    dense = Cosines(snapshot.vectors, vector, chunks.positions)
    strongest = float(lexical.max(initial=0.0))

    def evidence(some: Selection) -> Evidence:
        # What stands beside a row is measured as the rows are: its words are a share of the same best.
        words, cosines = snapshot.lexical.scores(question.text, some), Cosines(snapshot.vectors, vector, some.positions)
        return gather(snapshot, question, words, cosines, some, strongest)

    measured = gather(snapshot, question, lexical, dense, chunks)
    return Legs(lexical, dense, measured, question, portion=Portion(chunks, measured, evidence))


def _at(mask: Mask | None, chunks: Selection) -> Mask | None:
    return None if mask is None else mask[chunks.positions]


def _count(mask: Mask | None, of: Selection | Snapshot) -> int:
    return len(of) if mask is None else int(np.count_nonzero(mask))
