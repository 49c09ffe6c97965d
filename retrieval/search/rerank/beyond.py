"""Numbers of a question that lie beyond all keys of a table: level 12, of a class that ends at 10."""

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.figure_index import BARE, LABEL, STRANGE, UNIT, Marks, column_of
from retrieval.index.words.tokenizer import cut_word
from retrieval.quantities.quantity import ROUNDING
from retrieval.search.rerank.asked import Asked, Figure

_LEAST = 3
"""Keys that make a scale."""

Ends = npt.NDArray[np.float64]


def lies_beyond(snapshot: Snapshot, asked: Asked, position: int) -> bool:
    """Whether a question names a number as the key of a row's table is named, and it is beyond every key there.

    Args:
        snapshot: what is searched.
        asked: the question.
        position: of the row; nothing lies beyond prose.
    """
    tables, figures = snapshot.evidence, snapshot.figures
    if not asked.figures or tables.of[position] >= tables.n_tables or figures.key_cell[position] < 0:
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
        for figure in asked.figures
        if (interval := _compared(figure, ends, marks, bool(column & _names(snapshot, figure))))
        and not _is_quoted(figure, chunk.search_text)
    ]
    # Where another number is such a key, the column is named for both: `Dealer / hand`.
    return bool(outside) and all(outside)


def _compared(figure: Figure, ends: Ends, marks: Marks, named: bool) -> tuple[float, float, Ends] | None:
    """The number and the keys in one unit; None where it is not asked as a key."""
    counted = marks[:, UNIT] if figure.unit != BARE else np.full(len(marks), STRANGE)
    if (counted == figure.unit).all():
        return figure.quantity.low, figure.quantity.high, ends[:, :2]
    said = [number for number in (figure.unit, figure.label) if number != BARE]
    if named or np.isin(marks[:, [UNIT, LABEL]], said).any(axis=1).all():
        return *figure.quantity.written, ends[:, 2:]
    return None


def _is_quoted(figure: Figure, text: str) -> bool:
    """Whether the text has the number under its label, word for word: it is a name there."""
    return figure.quantity.label is not None and f"{figure.quantity.label} {figure.quantity.text}" in text.casefold()


def _names(snapshot: Snapshot, figure: Figure) -> frozenset[str]:
    """What the number counts or is called, in the words of the index."""
    said = (figure.quantity.label, figure.quantity.unit)
    cut = snapshot.lexical.tokenize
    return frozenset(part for word in said if word for part in cut_word(cut, snapshot.lexical.said(word)))


def _is_outside(low: float, high: float, ends: Ends) -> bool:
    """Whether an interval ends before the first of others begins, or begins after the last."""
    least, most = float(ends[:, 0].min()), float(ends[:, 1].max())
    return high < least - abs(least) * ROUNDING or low > most + abs(most) * ROUNDING
