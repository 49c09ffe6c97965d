"""Ranks rows that score far below the best row of their table after all other results.

Most questions that ask for one row of a table do not contain its key, so no predicate can exclude the others. If the
best row is far ahead, the rest of its table is noise. Search engines call this field collapsing.
"""

from dataclasses import dataclass

import numpy as np

from retrieval.files.arrays import begins
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.search.candidates import Candidates
from retrieval.search.fusion import Leg, Positions, Scores
from retrieval.search.query import Query

COLLAPSED = "collapsed"
"""The part of a score that moves a row behind the other results."""


@dataclass(frozen=True, slots=True, eq=False)
class Collapsed:
    """Scores of candidates, with outdone rows below all others."""

    positions: Positions
    """(n,) ascending."""
    scores: Scores
    """(n,)."""
    outdone: Mask
    """(n,) which rows are well below the best row of their table."""
    fall: float
    """The amount subtracted from the score of each outdone row."""

    def rows_behind(self, candidates: Candidates, positions: Positions) -> Scores:
        """Return the number of rows that each of these chunks moved: those of its table, if it is the table's best."""
        counts = np.bincount(candidates.table_of[self.outdone], minlength=len(candidates.tables))
        order = np.lexsort((self.positions, -self.scores))
        tables, first = np.unique(candidates.table_of[order], return_index=True)
        best = self.positions[order[first]]
        moved = dict(zip(best.tolist(), counts[tables].tolist(), strict=True))
        return np.asarray([float(moved.get(position, 0)) for position in positions.tolist()])

    def leg(self, positions: Positions) -> Leg | None:
        """Return what was subtracted from the scores of these chunks; None if no row is outdone."""
        if not self.outdone.any():
            return None
        return Leg(np.where(np.isin(positions, self.positions[self.outdone]), -self.fall, 0.0), name=COLLAPSED)


def collapse(candidates: Candidates, question: Query, scores: Scores, margin: float | None) -> Collapsed:
    """Move the rows of each table that are far below its best row behind all other candidates; see `outdone`.

    They keep their order. A row that the question names stays in its place, and so do all rows if the question lists or
    compares things, because it may ask for more than one.

    Args:
        scores: (n,) scores of the re-ranker.
        margin: in the unit of the scores; None: nothing is moved.
    """
    if margin is None or not len(scores):
        return Collapsed(candidates.positions, scores, np.zeros(len(scores), dtype=np.bool_), 0.0)
    fallen = outdone(scores, candidates.table_of, may_fall(candidates, question), margin)
    fall = float(scores.max() - scores.min()) + 1.0 if fallen.any() else 0.0
    return Collapsed(candidates.positions, scores - fall * fallen, fallen, fall)


def may_fall(candidates: Candidates, question: Query) -> Mask:
    """Return (n,) which candidates can be outdone by a better row of their table."""
    if question.wants_several:
        return np.zeros(len(candidates.positions), dtype=np.bool_)
    able: Mask = candidates.is_row & (candidates.name == 0)
    return able


_LOWERED_BY, _LOWEST = 1 / 6, 1 / 3


def outdone(scores: Scores, table_of: Positions, able: Mask, margin: float) -> Mask:
    """Return (n,) which candidates are more than a margin below the best of their table.

    The second row of a table has the whole margin; each further row has a sixth less, but at least a third. Rows with
    equal scores have the same.

    Args:
        scores: (n,) scores of the candidates.
        table_of: (n,) numbers of their tables, from 0.
        able: (n,) which candidates can be outdone.
        margin: in the unit of the scores.
    """
    order = np.lexsort((-scores, table_of))
    opens_table, rank = begins(table_of[order]), np.arange(len(order))
    best = np.maximum.accumulate(np.where(opens_table, rank, 0))
    better = np.maximum.accumulate(np.where(opens_table | begins(scores[order]), rank, 0)) - best
    allowed = margin * np.maximum(1.0 - _LOWERED_BY * np.maximum(better - 1, 0), _LOWEST)
    fallen = np.zeros(len(order), dtype=np.bool_)
    fallen[order] = scores[order[best]] - scores[order] > allowed
    return fallen & able
