"""Collapse: rows that a better row of their table outdoes stand behind everything else.

Most questions that ask for one row of a table do not write its key, so no predicate can exclude the others. Where the
best row is far ahead, the rest of its table is noise; search engines collapse such results by a field.
"""

from dataclasses import dataclass

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.search.candidates import Candidates
from retrieval.search.fusion import Leg, Positions, Scores
from retrieval.search.query import Query

COLLAPSED = "collapsed"
"""The part of a score that moves a row behind the other results."""


@dataclass(frozen=True, slots=True, eq=False)
class Collapsed:
    """Scores of candidates, those of outdone rows below all others."""

    positions: Positions
    """(n,) rising."""
    scores: Scores
    """(n,)."""
    outdone: Mask
    """(n,)."""
    fall: float
    """What an outdone row has less than it had."""

    def rows_behind(self, candidates: Candidates, positions: Positions) -> Scores:
        """How many rows each of these chunks moved: those of its table, where it is the best of that."""
        counts = np.bincount(candidates.table_of[self.outdone], minlength=len(candidates.tables))
        order = np.lexsort((self.positions, -self.scores))
        tables, first = np.unique(candidates.table_of[order], return_index=True)
        best = self.positions[order[first]]
        moved = dict(zip(best.tolist(), counts[tables].tolist(), strict=True))
        return np.asarray([float(moved.get(position, 0)) for position in positions.tolist()])

    def leg(self, positions: Positions) -> Leg | None:
        """What the scores of these chunks have less; None where it is nothing of any."""
        if not self.outdone.any():
            return None
        return Leg(np.where(np.isin(positions, self.positions[self.outdone]), -self.fall, 0.0), name=COLLAPSED)


def collapse(candidates: Candidates, question: Query, scores: Scores, margin: float | None) -> Collapsed:
    """Move the rows of each table that are more than a margin behind its best row below all other candidates.

    They keep their order. A row that the question calls by a name of its own stays where it is, and so do all rows
    where it lists or compares things: it may ask for more than one.

    Args:
        candidates: n of them.
        question: what was asked.
        scores: (n,) of the re-ranker.
        margin: in the unit of the scores; None: nothing is moved.
    """
    if margin is None or not len(scores):
        return Collapsed(candidates.positions, scores, np.zeros(len(scores), dtype=np.bool_), 0.0)
    fallen = outdone(scores, candidates.table_of, may_fall(candidates, question), margin)
    fall = float(scores.max() - scores.min()) + 1.0 if fallen.any() else 0.0
    return Collapsed(candidates.positions, scores - fall * fallen, fallen, fall)


def may_fall(candidates: Candidates, question: Query) -> Mask:
    """(n,) which candidates a better row of their table may outdo."""
    if question.wants_several:
        return np.zeros(len(candidates.positions), dtype=np.bool_)
    able: Mask = candidates.is_row & (candidates.name == 0)
    return able


def outdone(scores: Scores, table_of: Positions, able: Mask, margin: float) -> Mask:
    """(n,) which candidates are more than a margin behind the best of their table.

    Args:
        scores: (n,).
        table_of: (n,) numbers of their tables, from 0 on.
        able: (n,) which may be.
        margin: in the unit of the scores.
    """
    best = np.full(int(table_of.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, table_of, scores)
    fallen: Mask = able & (best[table_of] - scores > margin)
    return fallen
