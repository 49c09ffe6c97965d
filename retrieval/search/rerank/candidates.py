"""The candidates of re-ranking, and how each stands among its table and section."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.files.arrays import begins, numbered
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence import Measures
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.term_matches import Mask, Numbers

SEEN = ("lexical", "dense", "name", "heading")
"""Parts of the evidence that the trees see, the cosine by how far it is behind the nearest."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What may be among the best, and what the first look found out about it."""

    positions: Positions
    """(n,) rising."""
    tables: Positions
    """Distinct numbers of their tables and passages, rising."""
    table_of: Numbers
    """(n,) which of those each one is in."""
    section_of: Numbers
    """(n,) which section, numbers from 0 on."""
    is_row: Mask
    evidence: Mapping[str, Scores]
    """The parts of the evidence that the trees see, (n,) each."""


def candidates(snapshot: Snapshot, evidence: Measures, positions: Positions) -> Candidates:
    """The chunks at these positions, with what the first look says of them."""
    numbers = snapshot.evidence.of[positions]
    tables, table_of = numbered(numbers)
    is_row = numbers < snapshot.evidence.n_tables
    section_of = numbered(snapshot.fields.section[tables][table_of])[1]
    return Candidates(positions, tables.astype(np.int64), table_of, section_of, is_row, evidence.at(positions, SEEN))


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


def read_with_prose(said: Scores, sections: Numbers, is_row: Mask) -> Scores:
    """(n, words) what each candidate says; a row with the prose around its table, which its reader has read.

    Args:
        said: (n, words) how far each candidate says each word of the question.
        sections: (n,) which section each is in, numbers from 0 on.
        is_row: (n,).
    """
    prose = np.zeros((int(sections.max(initial=-1)) + 1, said.shape[1]))
    np.maximum.at(prose, sections[~is_row], said[~is_row])
    read: Scores = np.where(is_row[:, None], np.maximum(said, prose[sections]), said)
    return read


def _groups(group: Numbers) -> tuple[Numbers, Numbers]:
    """Candidates group by group, and where each group begins among them."""
    order = np.argsort(group, kind="stable")
    return order, np.flatnonzero(begins(group[order]))
