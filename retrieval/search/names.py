"""Evidence that ranks and never excludes: which table is meant, which row is named, which column is named."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.search.fusion import Positions, Scores, share_of_best

TABLE, ROW, COLUMN = 0.4, 0.4, 0.2


@dataclass(frozen=True, slots=True, eq=False)
class NamesEvidence:
    """Each part is (n,) and lies in 0-1; `total` is their weighted sum, in 0-1 too."""

    table: Scores
    row: Scores
    column: Scores
    total: Scores

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """The parts of these chunks by name."""
        return {"table": self.table[positions], "row": self.row[positions], "column": self.column[positions]}


def names_evidence(tables: Scores, columns: Scores, named: Positions, strength: Scores) -> NamesEvidence:
    """Weigh what a question names.

    A named row counts in full in the best table, and by half in a table that the question does not speak of: every
    table has a row 9.

    Args:
        tables: (n,) BM25 of each chunk's table (heading path, caption, column names); 0 for prose.
        columns: (n,) BM25 of the column names of each chunk's table alone; 0 for prose.
        named: positions of the rows that the question names.
        strength: how surely each of them is named, in 0-1, aligned with `named`.
    """
    table, column = share_of_best(tables), share_of_best(columns)
    row = np.zeros_like(table)
    row[named] = strength * (1.0 + table[named]) / 2.0
    return NamesEvidence(table, row, column, TABLE * table + ROW * row + COLUMN * column)
