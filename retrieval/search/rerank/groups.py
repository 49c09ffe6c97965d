"""Compares each candidate with the others of its table and section."""

import numpy as np

from retrieval.files.arrays import begins
from retrieval.search.fusion import Scores
from retrieval.search.rerank.term_matches import Mask, Numbers


def distinct_cells(cells: Mask, shares: Scores, table_of: Numbers, is_row: Mask) -> Scores:
    """Return (n,) the weight of the question's words that the cells of a row contain and those of other candidates of
    its table do not.

    Args:
        cells: (n, t) whether the cells contain the question's word.
        shares: (t,) weight of each word.
        table_of: (n,) number of the table of each candidate; every table has a candidate.
        is_row: (n,) whether each is a row.
    """
    order, starts = _groups(table_of)
    count = np.diff(starts, append=len(order))
    common = np.add.reduceat(cells[order].astype(np.float64), starts, axis=0) if len(order) else np.zeros(cells.shape)
    distinct: Scores = ((cells * (1.0 - common[table_of] / count[table_of][:, None])) @ shares) * is_row
    return distinct


def behind_best(group: Numbers, values: Scores) -> Scores:
    """Return (n,) how far each candidate is behind the best of its group.

    Args:
        group: (n,) numbers from 0, without gaps.
        values: (n,) values to compare.
    """
    if not len(group):
        return values
    order, starts = _groups(group)
    gap: Scores = np.maximum.reduceat(values[order], starts)[group] - values
    return gap


def read_with_prose(coverage: Scores, sections: Numbers, is_row: Mask) -> Scores:
    """Return (n, words) the coverage of each candidate; a row also gets that of the prose in its section, which its
    reader has read.

    Args:
        coverage: (n, words) how far each candidate covers each word of the question.
        sections: (n,) number of the section of each, from 0.
        is_row: (n,) whether each is a row.
    """
    prose = np.zeros((int(sections.max(initial=-1)) + 1, coverage.shape[1]))
    np.maximum.at(prose, sections[~is_row], coverage[~is_row])
    read: Scores = np.where(is_row[:, None], np.maximum(coverage, prose[sections]), coverage)
    return read


def _groups(group: Numbers) -> tuple[Numbers, Numbers]:
    """Return candidates group by group, and where each group begins."""
    order = np.argsort(group, kind="stable")
    return order, np.flatnonzero(begins(group[order]))
