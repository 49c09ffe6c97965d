"""Measures how well the numbers of a question fit a candidate, and finds numbers outside a table's range."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.field_index import Cells
from retrieval.index.words.figure_index import (
    BARE,
    HEAD,
    IS_FRACTION,
    LABEL,
    STRANGE,
    UNIT,
    WORD,
    FigureIndex,
    Marks,
    column_of,
)
from retrieval.language.numbers.quantity import ROUNDING
from retrieval.language.terms import cut_word
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.query_terms import Figure, QueryTerms
from retrieval.search.rerank.term_matches import SLOTS, Fields, Mask, Numbers

PERCENT = "percent"
_HAIR = 1e-9
"""The largest relative difference between an excluded bound and the number as it is written."""
TABLE = "table"
"""The label of a number that belongs to the name of a table."""


@dataclass(frozen=True, slots=True, eq=False)
class RowQuantities:
    """Quantities in the cells of n rows, followed by those in the columns and headings of their tables."""

    n: int
    n_tables: int
    rows: int
    """Number of quantities in rows."""
    owner: Numbers
    """(m,) index of the row, or of the table."""
    table: Numbers
    """(m,)."""
    cell: Numbers
    is_key: Mask
    """(rows,) whether each is in the row's key cell."""
    ends: Scores
    """(m, 4)."""
    marks: npt.NDArray[np.int32]
    """(m, 4)."""

    @classmethod
    def of(cls, figures: FigureIndex, positions: Positions, tables: Positions, table_of: Numbers) -> "RowQuantities":
        """Return the quantities of these chunks, (n,), and of these tables; `table_of` (n,) is the index of each
        chunk's table."""
        of_rows, of_tables = figures.rows, figures.tables
        places, heads = of_rows.cell.places(positions), of_tables.cell.places(tables)
        rows = np.repeat(np.arange(len(positions)), of_rows.cell.sizes(positions))
        own = np.repeat(np.arange(len(tables)), of_tables.cell.sizes(tables))
        cells = of_rows.cell.items[places]
        return cls(
            len(positions),
            len(tables),
            len(rows),
            np.concatenate([rows, own]),
            np.concatenate([table_of[rows], own]),
            np.concatenate([cells, of_tables.cell.items[heads]]).astype(np.int64),
            cells == figures.key_cell[positions][rows],
            np.concatenate([of_rows.ends[places], of_tables.ends[heads]]),
            np.concatenate([of_rows.marks[places], of_tables.marks[heads]]),
        )

    def hold(self, figure: Figure, percent: int, units: Sequence[int]) -> Mask:
        """Return (m,) whether each contains the number, or for a bound, reaches beyond it: `numbers.holds` for all at
        once.

        A bare number does not match units that other numbers of the question have: in `12.7 kg to zone 7`, 7 is not a
        weight.

        Args:
            percent: the unit of percentages.
            units: the units of all numbers of the question.
        """
        quantity = figure.quantity
        unit, label = self.marks[:, UNIT], self.marks[:, LABEL]
        low, high, written_low, written_high = self.ends.T
        named = (unit == BARE) | ((figure.unit == BARE) & ~np.isin(unit, units))
        if figure.label != BARE:
            named |= unit == figure.label
        named |= (label == figure.unit) & (label != BARE)
        within = _meets if quantity.kind == "open" else _within
        mask: Mask = named & within(written_low, written_high, *quantity.written)
        if quantity.unit == PERCENT:
            parts = (unit == BARE) & (self.marks[:, IS_FRACTION] > 0)
            mask = np.where(parts, within(low * 100, high * 100, quantity.low, quantity.high), mask)
        if figure.unit == BARE and quantity.kind == "fraction":
            mask = np.where(unit == percent, _within(low, high, quantity.low * 100, quantity.high * 100), mask)
        return np.where(unit == figure.unit, within(low, high, quantity.low, quantity.high), mask)

    def end_at(self, bound: float) -> Mask:
        """Return (rows,) which quantities of rows begin or end with a number as it is written."""
        ends = self.ends[: self.rows, 2:]
        at: Mask = np.logical_or.reduce(np.abs(ends - bound) <= _HAIR * abs(bound), axis=1)
        return at

    def largest(self, of_rows: list[Mask], of_tables: list[Mask], table_of: Numbers) -> Scores:
        """Return (what, n) 1 for candidates with any of these marks; marks of a table apply to each of its rows."""
        rows = np.zeros((len(of_rows), self.n))
        what, position = np.nonzero(np.asarray(of_rows))
        rows[what, self.owner[: self.rows][position]] = 1.0
        tables = np.zeros((len(of_tables), self.n_tables))
        what, position = np.nonzero(np.asarray(of_tables))
        tables[what, self.owner[self.rows :][position]] = 1.0
        return np.concatenate([rows, tables[:, table_of]])


def _within(low: Scores, high: Scores, asked_low: float, asked_high: float) -> Mask:
    inside: Mask = (low - np.abs(low) * ROUNDING <= asked_low) & (asked_high <= high + np.abs(high) * ROUNDING)
    return inside


def _meets(low: Scores, high: Scores, asked_low: float, asked_high: float) -> Mask:
    """Return (m,) whether each interval overlaps the given one."""
    common: Mask = (low - np.abs(low) * ROUNDING <= asked_high) & (asked_low <= high + np.abs(high) * ROUNDING)
    return common


@dataclass(frozen=True, slots=True, eq=False)
class NumberMatches:
    """How well the numbers of a question of t words fit n candidates."""

    features: Mapping[str, Scores]
    """(n,) each: the best match of its numbers, and the share of numbers without a match."""
    explained: Mask
    """(n, t) which of its words a candidate matches as numbers: `11` by a column `Level 10-12`."""
    contradicted: Mask
    """(n, t) which of its words are bounds that exclude the candidate: the 9 of `score below 9`, for a row `9-12`."""


def match_numbers(
    query: QueryTerms,
    figures: FigureIndex,
    positions: Positions,
    tables: Positions,
    table_of: Numbers,
    near: "NearbyWords",
) -> NumberMatches:
    """Match the numbers of a question with n candidates.

    Args:
        positions: (n,) positions of the candidates.
        tables: distinct numbers of their tables.
        table_of: (n,) index into `tables` of each candidate.
    """
    best, unexplained = np.zeros((4, len(positions))), np.zeros(len(positions))
    explained, contradicted = np.zeros((2, len(positions), len(query.words)), dtype=np.bool_)
    if query.figures:
        held = RowQuantities.of(figures, positions, tables, table_of)
        units = [figure.unit for figure in query.figures if figure.unit != BARE]
        for figure in query.figures:
            fits = held.hold(figure, figures.percent, units)
            key, key_labelled, wide_labelled, cell, cell_labelled, head, column, column_labelled = _fits(
                figure, fits, held, near, table_of
            )
            np.maximum(best, [key, key_labelled, wide_labelled, cell_labelled], out=best)
            unexplained += (1.0 - (key + cell + head + column > 0)) / len(query.figures)
            explained[:, figure.places] |= (key + cell_labelled + head + column_labelled > 0)[:, None]
            if figure.quantity.kind == "open":
                low, high = figure.quantity.written
                beyond = held.end_at(high if np.isinf(low) else low) & ~fits[: held.rows]
                outside = np.bincount(held.owner[: held.rows][beyond], minlength=len(positions)) > 0
                contradicted[:, figure.places] |= (outside & (key + cell_labelled == 0))[:, None]
    names = ("number_key", "number_key_labelled", "number_wide_labelled", "number_cell_labelled")
    features = {**dict(zip(names, best, strict=True)), "number_unexplained": unexplained}
    return NumberMatches(features, explained, contradicted)


def _fits(figure: Figure, fits: Mask, held: RowQuantities, near: "NearbyWords", table_of: Numbers) -> Scores:
    """Return (8, n) 1 if a number is the key, the key under its label, in a labelled range, in another cell, in one
    under its label, in the headings, in a column, in one under its label; `fits` (m,) marks the quantities that contain
    the number."""
    word = near.marked(figure)
    in_column, in_head = near.columns(word), near.heads(word)
    counted = (held.marks[:, UNIT] == figure.unit) & (figure.unit != BARE)
    labelled = in_column[held.table, np.clip(held.cell, 0, SLOTS - 1)] | word[held.marks[:, WORD]] | counted
    in_heading = held.cell[held.rows :] == HEAD
    same_label = (held.marks[held.rows :, LABEL] == figure.label) & (figure.label != BARE)
    if figure.quantity.label == TABLE and (fits[held.rows :] & in_heading & same_label).any():
        # `Hit Table 3, die 5` does not ask for row 3: 3 is part of a table's name.
        fits = fits & (held.marks[:, LABEL] == figure.label)
    fit, by_column, is_key = fits[: held.rows], labelled[: held.rows], held.is_key
    by_head = by_column | (is_key & in_head[held.table[: held.rows]])
    wide = held.ends[: held.rows, 0] != held.ends[: held.rows, 1]
    of_key, of_cell = fit & is_key, fit & ~is_key & (~wide | by_column)
    holds, named = fits[held.rows :], labelled[held.rows :]
    of_column = holds & ~in_heading
    return held.largest(
        [of_key, of_key & by_head, fit & wide & by_head, of_cell, of_cell & by_column],
        [holds & in_heading, of_column, of_column & named],
        table_of,
    )


@dataclass(frozen=True, slots=True, eq=False)
class NearbyWords:
    """The words of tables, to be compared with those near a number."""

    fields: Fields
    """The first `heading_fields` of them name the table, the last contains its columns."""
    heading_fields: int
    column_of: Cells
    """The column of each word of the column field."""

    def marked(self, figure: Figure) -> Mask:
        """Return (terms + 1,) the words near the number; the last is for words that the index lacks."""
        marks = np.zeros(len(self.fields.rarity), dtype=np.bool_)
        marks[figure.near] = True
        return marks

    def columns(self, word: Mask) -> Mask:
        """Return (tables, SLOTS) the columns with one of these words."""
        fields, columns = self.fields, np.zeros((self.fields.n, SLOTS), dtype=np.bool_)
        first = fields.ends[-1 - fields.n]
        at = first + np.flatnonzero(word[fields.words[first:]])
        owner = np.searchsorted(fields.ends, at, side="right") - 1
        columns[owner % max(fields.n, 1), np.minimum(self.column_of[fields.places[at]], SLOTS - 1)] = True
        return columns

    def heads(self, word: Mask) -> Mask:
        """Return (tables,) whether the headings of each table have one of these words."""
        fields, heads = self.fields, np.zeros(self.fields.n, dtype=np.bool_)
        at = np.flatnonzero(word[fields.words[: fields.ends[self.heading_fields * fields.n]]])
        heads[(np.searchsorted(fields.ends, at, side="right") - 1) % max(fields.n, 1)] = True
        return heads


_LEAST = 3
"""The fewest keys that make a scale."""

Ends = npt.NDArray[np.float64]


def is_out_of_range(snapshot: Snapshot, query: QueryTerms, position: int) -> bool:
    """Whether a question contains a number of the same kind as the keys of a row's table that is outside the range of
    all its keys; False for prose."""
    tables, figures = snapshot.chunk_tables, snapshot.figures
    if not query.figures or tables.of[position] >= tables.n_tables or figures.key_cell[position] < 0:
        return False
    rows = np.flatnonzero(tables.of == tables.of[position])
    places, key = figures.rows.cell.places(rows), np.repeat(figures.key_cell[rows], figures.rows.cell.sizes(rows))
    places = places[figures.rows.cell.items[places] == key]
    if len(places) < max(_LEAST, len(rows) / 2):
        return False
    chunk = snapshot.chunks[position]
    column = frozenset(snapshot.lexical.tokenize(column_of(chunk, int(figures.key_cell[position]))))
    ends, marks = figures.rows.ends[places], figures.rows.marks[places]
    outside = [
        _is_outside(*interval)
        for figure in query.figures
        if (interval := _compared(figure, ends, marks, bool(column & _names(snapshot, figure))))
        and not _is_quoted(figure, chunk.search_text)
    ]
    # If another number is such a key, the column is named after both: `Dealer / hand`.
    return bool(outside) and all(outside)


def _compared(figure: Figure, ends: Ends, marks: Marks, named: bool) -> tuple[float, float, Ends] | None:
    """Return the number and the keys in one unit; None if the question does not ask for it as a key."""
    counted = marks[:, UNIT] if figure.unit != BARE else np.full(len(marks), STRANGE)
    if (counted == figure.unit).all():
        return figure.quantity.low, figure.quantity.high, ends[:, :2]
    numbers = [number for number in (figure.unit, figure.label) if number != BARE]
    if named or np.isin(marks[:, [UNIT, LABEL]], numbers).any(axis=1).all():
        return *figure.quantity.written, ends[:, 2:]
    return None


def _is_quoted(figure: Figure, text: str) -> bool:
    """Whether the text contains the number with its label, word for word: then it is a name there."""
    return figure.quantity.label is not None and f"{figure.quantity.label} {figure.quantity.text}" in text.casefold()


def _names(snapshot: Snapshot, figure: Figure) -> frozenset[str]:
    """Return what the number counts or is labelled with, in the words of the index."""
    terms = (figure.quantity.label, figure.quantity.unit)
    cut = snapshot.lexical.tokenize
    return frozenset(part for word in terms if word for part in cut_word(cut, snapshot.lexical.in_index_words(word)))


def _is_outside(low: float, high: float, ends: Ends) -> bool:
    """Whether an interval ends before the first of others begins, or begins after the last ends."""
    least, most = float(ends[:, 0].min()), float(ends[:, 1].max())
    return high < least - abs(least) * ROUNDING or low > most + abs(most) * ROUNDING
