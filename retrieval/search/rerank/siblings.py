"""How a candidate stands among the others of its table and of its section."""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.said import Marks


def among_siblings(
    features: Mapping[str, Scores],
    cells: Marks,
    shares: Scores,
    covered: Callable[[Marks], Scores],
    row: Marks,
    tables: Positions,
    is_row: Marks,
) -> dict[str, Scores]:
    """What sets a row apart from the rows of its table that are candidates too."""
    known, which = np.unique(tables, return_inverse=True)
    count = np.bincount(which)
    common = np.zeros((len(known), cells.shape[1]))
    np.add.at(common, which, cells.astype(np.float64))
    distinct = ((cells * (1.0 - common[which] / count[which][:, None])) @ shares) * is_row
    behind = behind_best(which, len(known), is_row)
    return {
        "distinct": distinct,
        "behind_row": behind(covered(row)),
        "behind_whole": behind(features["whole_cells"]),
        "behind_covered": behind(features["covered"]),
        "behind_distinct": behind(distinct),
    }


def behind_best(which: Positions, n_tables: int, is_row: Marks) -> Callable[[Scores], Scores]:
    """How far a row is behind the best candidate of its table; 0 for prose."""

    def behind(values: Scores) -> Scores:
        best = np.full(n_tables, -np.inf)
        np.maximum.at(best, which, values)
        gap: Scores = (best[which] - values) * is_row
        return gap

    return behind


def in_section(sections: npt.NDArray[np.int32], features: Mapping[str, Scores]) -> dict[str, Scores]:
    """How much better another candidate of the same section is named: prose beside the row that was asked for."""
    known, which = np.unique(sections, return_inverse=True)
    behind = behind_best(which, len(known), np.ones(len(which), dtype=np.bool_))
    return {
        "behind_section_number": behind(features["number_key_labelled"]),
        "behind_section_whole": behind(features["whole_cells"]),
        "behind_section_covered": behind(features["covered"]),
    }
