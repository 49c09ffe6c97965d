"""The places where a question names rows of an index: by a name, by an amount, by a cell that several rows have."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from retrieval.arrays import Integers
from retrieval.query_must.rivals.speech import Asked, span_mask

if TYPE_CHECKING:
    from retrieval.query_must.compiled.rivals import RivalIndex

Masks = npt.NDArray[np.uint64]
"""Places of tokens, as in `Asked`."""
Places = list[tuple[int, int]]
"""Masks of places of the question, and the number of the run that stands there."""
KINDS = NAME, AMOUNT, STEP, SHARED = range(4)
"""What a mention says: a name of the row, the amount that it is, a value of its step, a cell of several rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """The m places where a question names rows."""

    rows: Integers
    """(m,) rising."""
    span: Masks
    """(m,)."""
    what: npt.NDArray[np.int8]
    """(m,)."""

    @classmethod
    def of(cls, index: "RivalIndex", asked: Asked, names: Places, shared: Places) -> "Mentions":
        """Those that are no part of a longer one; the arguments are places of the question and numbers of runs."""
        found = [(mask, index.rows_of_name[name].astype(np.int64), NAME) for mask, name in names]
        for each in asked.amounts:
            steps = index.rows_holding(each.amount, steps=True)
            others = np.setdiff1d(index.rows_holding(each.amount), steps, assume_unique=True)
            found += [
                (span_mask(*each.span), rows, what) for rows, what in ((others, AMOUNT), (steps, STEP)) if len(rows)
            ]
        own = {mask for mask, *_ in found}
        found += [(mask, index.rows_of_shared[cell].astype(np.int64), SHARED) for mask, cell in shared]
        every = own | {mask for mask, _ in shared}
        outer = [each for each in found if not _inside(each[0], every if each[2] == SHARED else own)]
        sizes = [len(rows) for _, rows, _ in outer]
        rows = np.concatenate([rows for _, rows, _ in outer] or [np.zeros(0, dtype=np.int64)])
        order = np.argsort(rows, kind="stable")
        span = np.repeat(np.array([mask for mask, *_ in outer], dtype=np.uint64), sizes)
        what = np.repeat(np.array([what for *_, what in outer], dtype=np.int8), sizes)
        return cls(rows[order], span[order], what[order])

    def at(self, places: npt.NDArray[np.bool_]) -> "Mentions":
        """Some of them."""
        return Mentions(self.rows[places], self.span[places], self.what[places])

    def covers(self, rows: Integers, *what: int) -> Masks:
        """What is said of each of some rows, which rise: the union of its mentions of these kinds."""
        found = np.zeros(len(rows), dtype=np.uint64)
        if len(rows):
            place = np.minimum(np.searchsorted(rows, self.rows), len(rows) - 1)
            wanted = np.zeros(len(KINDS), dtype=np.bool_)
            wanted[list(what)] = True
            some = (rows[place] == self.rows) & wanted[self.what]
            np.bitwise_or.at(found, place[some], self.span[some])
        return found


def _inside(mask: int, others: Iterable[int]) -> bool:
    return any(mask & ~other == 0 and mask != other for other in others)
