"""The candidates of re-ranking, and how each stands among its table and section."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.files.arrays import begins, numbered
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence import Measures
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.term_matches import Mask, Numbers


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
    """Every part of the evidence, (n,) each."""


def candidates(snapshot: Snapshot, evidence: Measures, positions: Positions) -> Candidates:
    """The chunks at these positions, with what the first look says of them."""
    numbers = snapshot.evidence.of[positions]
    tables, table_of = numbered(numbers)
    is_row = numbers < snapshot.evidence.n_tables
    section_of = numbered(snapshot.fields.section[tables][table_of])[1]
    return Candidates(positions, tables.astype(np.int64), table_of, section_of, is_row, evidence.at(positions))


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


def behind_best(group: Numbers, values: Sequence[Scores]) -> Scores:
    """(values, n) how far each candidate is behind the best of its group.

    Args:
        group: (n,) numbers from 0 on, each there.
        values: (n,) each.
    """
    stacked = np.asarray(values)
    if not len(group):
        return stacked
    order, starts = _groups(group)
    gap: Scores = np.maximum.reduceat(stacked[:, order], starts, axis=1)[:, group] - stacked
    return gap


_IN_SECTION = {
    "behind_section_key": "number_key",
    "behind_section_number": "number_key_labelled",
    "behind_section_whole": "whole_cells",
    "behind_section_covered": "covered",
    "behind_section_read": "covered_read",
    "behind_section_alike": "alike_read",
    "behind_section_meaning": "meaning",
    "behind_section_column": "column_said",
    "behind_section_wide": "number_wide_labelled",
}


def in_section(sections: Numbers, features: Mapping[str, Scores]) -> dict[str, Scores]:
    """How much better another candidate of the same section is named: prose beside the row that was asked for."""
    gaps = behind_best(sections, [features[name] for name in _IN_SECTION.values()])
    return dict(zip(_IN_SECTION, gaps, strict=True))


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
