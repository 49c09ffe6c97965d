"""How each candidate stands among those of its table and section."""

import numpy as np

from retrieval.files.arrays import begins
from retrieval.search.fusion import Scores
from retrieval.search.rerank.term_matches import Mask, Numbers


def distinct_cells(cells: Mask, shares: Scores, table_of: Numbers, is_row: Mask) -> Scores:
    """(n,) what the cells of a row say of the question that those of other candidates of its table do not.

    Args:
        cells: (n, t) whether the cells have the question's word.
        shares: (t,) weight of each.
        table_of: (n,) which table each is in; every table has one.
        is_row: (n,).
    """
    order, starts = _groups(table_of)
    count = np.diff(starts, append=len(order))
    common = np.add.reduceat(cells[order].astype(np.float64), starts, axis=0) if len(order) else np.zeros(cells.shape)
    distinct: Scores = ((cells * (1.0 - common[table_of] / count[table_of][:, None])) @ shares) * is_row
    return distinct


def behind_best(group: Numbers, values: Scores) -> Scores:
    """(n,) how far each candidate is behind the best of its group.

    Args:
        group: (n,) numbers from 0 on, each there.
        values: (n,).
    """
    if not len(group):
        return values
    order, starts = _groups(group)
    gap: Scores = np.maximum.reduceat(values[order], starts)[group] - values
    return gap


def read_with_prose(coverage: Scores, sections: Numbers, is_row: Mask) -> Scores:
    """(n, words) what each candidate says; a row with the prose around its table, which its reader has read.

    Args:
        coverage: (n, words) how far each candidate says each word of the question.
        sections: (n,) which section each is in, numbers from 0 on.
        is_row: (n,).
    """
    prose = np.zeros((int(sections.max(initial=-1)) + 1, coverage.shape[1]))
    np.maximum.at(prose, sections[~is_row], coverage[~is_row])
    read: Scores = np.where(is_row[:, None], np.maximum(coverage, prose[sections]), coverage)
    return read


def _groups(group: Numbers) -> tuple[Numbers, Numbers]:
    """Candidates group by group, and where each group begins among them."""
    order = np.argsort(group, kind="stable")
    return order, np.flatnonzero(begins(group[order]))
