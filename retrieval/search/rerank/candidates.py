"""The chunks that are looked at again."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.arrays import numbered
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence.parts import Measures
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.said import Mask, Numbers


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
