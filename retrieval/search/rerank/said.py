"""Which words of a question each candidate says, field by field."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.index.words.field_index import Words
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.asked import Asked

Marks = npt.NDArray[np.bool_]

STRETCH = 16
"""Half the words of a stretch: about a sentence or two."""
SLOTS = 64
"""Cells of a row, or columns of a table, that are told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field of every candidate, word by word."""

    owner: npt.NDArray[np.int64]
    """(m,) the candidate of each word of the field."""
    asked: npt.NDArray[np.int64]
    """(m,) which word of the question it is, or -1."""
    weight: Scores
    """(m,) how rare it is."""
    n: int
    """Candidates."""
    slot: npt.NDArray[np.int64]
    """(m,) candidate and cell, as one number; all 0 without cells."""

    @property
    def size(self) -> Scores:
        """(n,) words."""
        return np.bincount(self.owner, minlength=self.n).astype(np.float64)

    def said(self, t: int) -> Marks:
        """(n, t): whether the candidate's field has the question's word."""
        found = np.zeros((self.n, t + 1), dtype=np.bool_)
        found[self.owner, self.asked] = True
        return found[:, :t]

    def share(self) -> Scores:
        """(n,) how much of the field the question says, by weight; 0 for an empty one."""
        every = np.bincount(self.owner, weights=self.weight, minlength=self.n)
        said = np.bincount(self.owner, weights=self.weight * (self.asked >= 0), minlength=self.n)
        return np.divide(said, every, out=np.zeros(self.n), where=every > 0)

    def pairs(self, asked: Asked) -> Marks:
        """(n, t * t): which pairs of words stand in the field as in the question."""
        t = len(asked.words)
        found = np.zeros((self.n, t * t), dtype=np.bool_)
        if len(self.owner) > 1 and t:
            first, second = self.asked[:-1], self.asked[1:]
            place = np.flatnonzero((first >= 0) & (second >= 0) & (self.owner[:-1] == self.owner[1:]))
            place = place[asked.pairs[first[place], second[place]] > 0]
            found[self.owner[place], first[place] * t + second[place]] = True
        return found

    def densest(self, asked: Asked) -> Scores:
        """(n,) weight of the question's words that stand together, in the best stretch of the field."""
        t = len(asked.words)
        if not len(self.owner) or not t:
            return np.zeros(self.n)
        first = np.searchsorted(self.owner, self.owner)
        block = (np.arange(len(self.owner)) - first) // STRETCH
        n_blocks = int(block.max()) + 2
        found = np.zeros((self.n, n_blocks, t + 1), dtype=np.bool_)
        # Each word is in two stretches that overlap by half, so that no sentence is cut in both.
        found[self.owner, block, self.asked] = True
        found[self.owner, block + 1, self.asked] = True
        best: Scores = (found[:, :, :t] @ asked.weights).max(axis=1)
        return best

    def slots(self) -> "Slots":
        """Its cells."""
        total = self.n * SLOTS
        said = self.asked >= 0
        return Slots(
            np.bincount(self.slot, minlength=total),
            np.bincount(self.slot, weights=said, minlength=total).astype(np.float64),
            np.bincount(self.slot, weights=self.weight * said, minlength=total).astype(np.float64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The cells of every candidate, `SLOTS` each, end to end."""

    size: npt.NDArray[np.int64]
    """Words."""
    said: Scores
    """Words that the question says."""
    weight: Scores
    """Their weight."""

    @property
    def whole(self) -> Marks:
        """Cells that are said whole."""
        whole: Marks = (self.size > 0) & (self.said == self.size)
        return whole

    def best(self, values: Scores) -> Scores:
        """(n,) the largest value of each candidate's cells."""
        largest: Scores = values.reshape(-1, SLOTS).max(axis=1)
        return largest

    @property
    def shares(self) -> Scores:
        """Weight of what is said, times how much of the cell that is."""
        return np.divide(self.weight * self.said, self.size, out=np.zeros(len(self.size)), where=self.size > 0)


def look(
    words: Words, keys: Positions, asked: Asked, rarity: Scores, slot: npt.NDArray[np.int16] | None = None
) -> Field:
    """One field of these candidates.

    Args:
        words: the field.
        keys: (n,) of each candidate: its position, or the number of its table.
        asked: the question.
        rarity: (terms,) weight of every word of the index.
        slot: which cell each word of the field is in.
    """
    sizes, found = words.sizes(keys), words.gather(keys).astype(np.int64)
    owner = np.repeat(np.arange(len(keys)), sizes)
    if len(asked.words):
        place = np.minimum(np.searchsorted(asked.words, found), len(asked.words) - 1)
        which = np.where(asked.words[place] == found, place, -1)
    else:
        which = np.full(len(found), -1)
    rarest = float(rarity.max(initial=0.0))
    weight: Scores = np.where(found >= 0, rarity[np.maximum(found, 0)], rarest) if len(rarity) else np.zeros(len(found))
    cells = np.zeros(len(found), dtype=np.int64)
    if slot is not None:
        cells = owner * SLOTS + np.minimum(slot[words.places(keys)], SLOTS - 1)
    return Field(owner, which, weight, len(keys), cells)
