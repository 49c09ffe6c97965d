"""Finds which words of a question the candidates contain, field by field."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import begins
from retrieval.index.words.field_index import Cells, Words
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.query_terms import QueryTerms

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

SLOTS = 64
"""The most cells of a row, or columns of a table, that are distinguished."""


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """Some fields of n candidates, or of n tables: all their words, and which of those the question contains.

    The words are contiguous, field by field, and candidate by candidate within a field.
    """

    query: QueryTerms
    rarity: Scores
    """(terms + 1,) weight of every word of the index; the last is for words that it lacks."""
    n: int
    sizes: Numbers
    """(fields, n) number of words of each."""
    words: npt.NDArray[np.int32]
    """(m,)."""
    places: Numbers
    """(m,) index of each word in the arrays of its field."""
    ends: Numbers
    """(fields * n + 1,): the words of field f of candidate i lie between ends[f * n + i] and the next."""
    hits: Numbers
    """(h,) which of the words the question contains, ascending."""
    owner: Numbers
    """(h,) field * n + candidate of each hit."""
    which: Numbers
    """(h,) index of the question's word of each hit."""

    def has_term(self) -> Mask:
        """Return (fields, n, t) whether the candidate's field contains the question's word."""
        has_term = np.zeros((len(self.ends) - 1, len(self.query.words)), dtype=np.bool_)
        has_term[self.owner, self.which] = True
        return has_term.reshape(*self.sizes.shape, has_term.shape[1])

    def shares(self, fields: int) -> Scores:
        """Return (fields, n) the share of each of the first fields that the question contains, by weight; 0 for an
        empty one."""
        total = fields * self.n
        ends = self.ends[: total + 1]
        words, hits = self.words[: ends[-1]], self.hits[: np.searchsorted(self.hits, ends[-1])]
        every = np.bincount(np.repeat(np.arange(total), self.sizes[:fields].ravel()), self.rarity[words], total)
        held = np.bincount(self.owner[: len(hits)], self.rarity[words[hits]], total)
        return np.divide(held, every, out=np.zeros(total), where=every > 0).reshape(fields, self.n)

    def pairs(self) -> Mask:
        """Return (fields, n, p) which of the question's word pairs occur in the field in the same order."""
        has_pair = np.zeros((len(self.ends) - 1, len(self.query.worth)), dtype=np.bool_)
        if len(self.query.worth):
            beside = (self.hits[1:] == self.hits[:-1] + 1) & (self.owner[1:] == self.owner[:-1])
            pair = np.where(beside, self.query.pairs[self.which[:-1], self.which[1:]], -1)
            position = np.flatnonzero(pair >= 0)
            has_pair[self.owner[position], pair[position]] = True
        return has_pair.reshape(*self.sizes.shape, has_pair.shape[1])

    def cells(self, field: int, cell_of: Cells) -> "TermMatches":
        """Return the matches of the question with the cells of a field.

        Args:
            field: the index of the field.
            cell_of: the cell of each word of the field, ascending within each candidate.
        """
        start, stop = self.ends[field * self.n], self.ends[(field + 1) * self.n]
        first, last = np.searchsorted(self.hits, [start, stop])
        hits, which = self.hits[first:last] - start, self.which[first:last]
        owner = self.owner[first:last] - field * self.n
        every = np.minimum(cell_of[self.places[start:stop]], SLOTS - 1) + SLOTS * np.repeat(
            np.arange(self.n), self.sizes[field]
        )
        slot = every[hits]
        new = begins(slot)
        number = np.cumsum(new) - 1
        slots = slot[new]
        size = np.searchsorted(every, slots, side="right") - np.searchsorted(every, slots)
        return TermMatches(
            self.n,
            owner,
            which,
            number,
            slots // SLOTS,
            size,
            np.bincount(number, minlength=len(slots)),
            np.bincount(number, self.query.weights[which], len(slots)).astype(np.float64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class TermMatches:
    """The cells of n candidates that contain a word of the question."""

    n: int
    owner: Numbers
    """(h,) candidate of each matching word."""
    which: Numbers
    """(h,) index of the question's word."""
    cell: Numbers
    """(h,) index of its cell, among c cells."""
    of: Numbers
    """(c,) candidate of each cell."""
    size: Numbers
    """(c,) number of words."""
    matched: Numbers
    """(c,) number of words that the question contains."""
    weight: Scores
    """(c,) weight of those words."""

    @property
    def whole(self) -> Mask:
        """(c,) cells whose words all occur in the question."""
        whole: Mask = self.matched == self.size
        return whole

    @property
    def shares(self) -> Scores:
        """(c,) weight of the matching words, times their share of the cell."""
        return (self.weight * self.matched) / self.size

    def best(self, values: Scores) -> Scores:
        """Return (n,) the largest value of each candidate's cells, at least 0."""
        largest = np.zeros(self.n)
        np.maximum.at(largest, self.of, values)
        return largest

    def in_whole(self, t: int) -> Mask:
        """Return (n, t) whether a cell that matches whole contains the word."""
        has_term = np.zeros((self.n, t), dtype=np.bool_)
        quoted = self.whole[self.cell]
        has_term[self.owner[quoted], self.which[quoted]] = True
        return has_term


def match_terms(
    fields: Sequence[Words], keys: Positions, query: QueryTerms, rarity: Scores, contradicted: Mask | None = None
) -> Fields:
    """Match a question with some fields of the same candidates.

    Args:
        fields: words by key.
        keys: (n,) key of each candidate: its position, or the number of its table.
        rarity: (terms + 1,) weight of every word of the index; the last is for words that it lacks.
        contradicted: (n, t) words of the question that do not count for a candidate though it contains them; None: all
            count.
    """
    starts = np.concatenate([field.starts[keys] for field in fields])
    sizes = np.concatenate([field.starts[keys + 1] for field in fields]) - starts
    ends = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=ends[1:])
    places = np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1])
    bounds = ends[:: len(keys)] if len(keys) else np.zeros(len(fields) + 1, dtype=np.int64)
    words = np.concatenate(
        [field.items[places[first:stop]] for field, first, stop in zip(fields, bounds[:-1], bounds[1:], strict=True)]
    )
    # By number; a word that the index lacks is -1 and so gets the last entry.
    known = np.full(len(rarity), -1, dtype=np.int8)
    known[query.words] = np.arange(len(query.words))
    which = known[words]
    hits = np.flatnonzero(which >= 0)
    owner = np.searchsorted(ends, hits, side="right") - 1
    if (query.behind >= 0).any():
        stands = _stands_behind(words, hits, ends[owner], query.behind[which[hits]])
        hits, owner = hits[stands], owner[stands]
    if contradicted is not None and contradicted.any():
        kept = ~contradicted[owner % len(keys), which[hits]]
        hits, owner = hits[kept], owner[kept]
    return Fields(
        query,
        rarity,
        len(keys),
        sizes.reshape(len(fields), len(keys)),
        words,
        places,
        ends,
        hits,
        owner,
        which[hits].astype(np.int64),
    )


def _stands_behind(words: npt.NDArray[np.int32], hits: Numbers, begins_at: Numbers, wanted: Numbers) -> Mask:
    """Return (h,) whether the wanted word is one of the two before each hit in its field, or none is wanted."""
    stands: Mask = wanted < 0
    # `MX-64` is cut into `mx`, `-64` and `64`.
    for back in (1, 2):
        stands |= (hits - back >= begins_at) & (words[hits - back] == wanted)
    return stands
