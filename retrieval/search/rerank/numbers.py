"""How the numbers of a question fit the candidates: their keys, their other cells, their columns and headings."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.index.words.figure_index import BARE, HEAD, IS_FRACTION, LABEL, UNIT, WORD, Figures
from retrieval.quantities.quantity import ROUNDING
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.asked import Asked, Figure
from retrieval.search.rerank.said import SLOTS, Field, Marks

PERCENT = "percent"
NAMES = (
    *("key", "key_labelled", "wide", "wide_labelled", "cell", "cell_labelled"),
    *("other_key", "other_key_labelled", "other_labelled", "head", "other_head", "column", "column_labelled"),
    "unexplained",
)
"""What is said of the numbers; `number_...` are the features."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Quantities of the candidates, end to end."""

    owner: npt.NDArray[np.int64]
    """(m,) the candidate of each."""
    cell: npt.NDArray[np.int64]
    ends: Scores
    """(m, 4)."""
    marks: npt.NDArray[np.int32]
    """(m, 4)."""

    @classmethod
    def of(cls, figures: Figures, keys: Positions) -> "Held":
        """Those of these chunks or tables."""
        places = figures.cell.places(keys)
        owner = np.repeat(np.arange(len(keys)), figures.cell.sizes(keys))
        return cls(owner, figures.cell.items[places].astype(np.int64), figures.ends[places], figures.marks[places])

    def hold(self, figure: Figure, percent: int) -> Marks:
        """(m,) whether each holds the number: `quantities.holds`, all at once."""
        asked = figure.quantity
        unit, label, fraction = self.marks[:, UNIT], self.marks[:, LABEL], self.marks[:, IS_FRACTION] > 0
        low, high, written_low, written_high = self.ends.T
        bare = (unit == BARE) | (figure.unit == BARE)
        named = (unit == figure.label) & (figure.label != BARE) | (figure.unit == label) & (label != BARE)
        shares = (unit == percent) & (figure.unit == BARE) & (asked.kind == "fraction")
        parts = (unit == BARE) & fraction & (asked.unit == PERCENT)
        found: Marks = np.select(
            [unit == figure.unit, shares, parts, bare | named],
            [
                _within(low, high, asked.low, asked.high),
                _within(low, high, asked.low * 100, asked.high * 100),
                _within(low * 100, high * 100, asked.low, asked.high),
                _within(written_low, written_high, *asked.written),
            ],
            default=False,
        )
        return found

    def largest(self, values: Marks, n: int) -> Scores:
        """(n,) 1 for candidates with any of these."""
        found = np.zeros(n)
        found[self.owner[values]] = 1.0
        return found


def _within(low: Scores, high: Scores, asked_low: float, asked_high: float) -> Marks:
    inside: Marks = (low - np.abs(low) * ROUNDING <= asked_low) & (asked_high <= high + np.abs(high) * ROUNDING)
    return inside


def number_features(
    asked: Asked,
    rows: Held,
    tables: Held,
    key_cell: npt.NDArray[np.int16],
    columns: tuple[Field, npt.NDArray[np.int64]],
    heads: tuple[Field, npt.NDArray[np.int64]],
    percent: int,
) -> Mapping[str, Scores]:
    """What the numbers of a question say of n candidates: the largest over its numbers, but the mean of `unexplained`.

    Args:
        asked: the question.
        rows: quantities of the candidates' cells.
        tables: those of their columns and headings.
        key_cell: (n,) which cell picks the row.
        columns: the words of their columns, and which word of the index each is.
        heads: those of their headings.
        percent: number of the unit of percentages; -2 where there is none.
    """
    n = len(key_cell)
    found = {name: np.zeros(n) for name in NAMES}
    for figure in asked.figures:
        said = _of_figure(figure, rows, tables, key_cell, columns, heads, percent)
        for name in NAMES[:-1]:
            np.maximum(found[name], said[name], out=found[name])
        explained = said["key"] + said["cell"] + said["head"] + said["column"] > 0
        found["unexplained"] += (1.0 - explained) / len(asked.figures)
    return {f"number_{name}": values for name, values in found.items()}


def _of_figure(
    figure: Figure,
    rows: Held,
    tables: Held,
    key_cell: npt.NDArray[np.int16],
    columns: tuple[Field, npt.NDArray[np.int64]],
    heads: tuple[Field, npt.NDArray[np.int64]],
    percent: int,
) -> Mapping[str, Scores]:
    n = len(key_cell)
    in_column = _near_slots(columns, figure, n)
    in_head = _near_any(heads, figure, n)
    is_key = rows.cell == key_cell[rows.owner]
    labelled = in_column[rows.owner, np.minimum(rows.cell, SLOTS - 1)] | np.isin(rows.marks[:, WORD], figure.near)
    by_head = labelled | (is_key & in_head[rows.owner])
    fits = rows.hold(figure, percent)
    wide = rows.ends[:, 0] != rows.ends[:, 1]
    exact_or_labelled = ~is_key & (~wide | labelled)
    in_heading = tables.cell == HEAD
    held = tables.hold(figure, percent)
    same_label = (tables.marks[:, LABEL] == figure.label) & (figure.label != BARE)
    by_column = in_column[tables.owner, np.clip(tables.cell, 0, SLOTS - 1)] | np.isin(
        tables.marks[:, WORD], figure.near
    )
    return {
        "key": rows.largest(fits & is_key, n),
        "key_labelled": rows.largest(fits & is_key & by_head, n),
        "wide": rows.largest(fits & wide, n),
        "wide_labelled": rows.largest(fits & wide & by_head, n),
        "cell": rows.largest(fits & exact_or_labelled, n),
        "cell_labelled": rows.largest(fits & exact_or_labelled & labelled, n),
        "other_key": rows.largest(~fits & is_key, n),
        "other_key_labelled": rows.largest(~fits & is_key & by_head, n),
        "other_labelled": rows.largest(~fits & labelled, n),
        "head": tables.largest(held & in_heading, n),
        "other_head": tables.largest(~held & in_heading & same_label, n),
        "column": tables.largest(held & ~in_heading, n),
        "column_labelled": tables.largest(held & ~in_heading & by_column, n),
    }


def _near_slots(columns: tuple[Field, npt.NDArray[np.int64]], figure: Figure, n: int) -> Marks:
    field, words = columns
    found = np.zeros((n, SLOTS), dtype=np.bool_)
    near = np.isin(words, figure.near)
    found[field.owner[near], field.slot[near] % SLOTS] = True
    return found


def _near_any(heads: tuple[Field, npt.NDArray[np.int64]], figure: Figure, n: int) -> Marks:
    field, words = heads
    found = np.zeros(n, dtype=np.bool_)
    found[field.owner[np.isin(words, figure.near)]] = True
    return found
