"""Which rows a question names, table by table, and whether that keeps others out; all tables at once."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from retrieval.arrays import Integers
from retrieval.query_must.compiled.phrase_hashes import hash_of, hashes_of_spans, places_of
from retrieval.query_must.rivals.speech import Asked, span_mask
from retrieval.query_must.rivals.verdict import Verdict, held_because
from retrieval.ragged import RaggedArray

if TYPE_CHECKING:
    from retrieval.query_must.compiled.rivals import Lists, RivalIndex

Masks = npt.NDArray[np.uint64]
"""Places of tokens, as in `Asked`."""


@dataclass(frozen=True, slots=True, eq=False)
class SaidWords:
    """Which words of the index a question says, and where."""

    places: Masks
    """(W,)."""

    @classmethod
    def of(cls, index: "RivalIndex", asked: Asked) -> "SaidWords":
        """Look the question's tokens up."""
        numbers = np.array([hash_of((token,)) for token in asked.places], dtype=np.uint64)
        found, masks = places_of(numbers, index.words), np.array(list(asked.places.values()), dtype=np.uint64)
        places = np.zeros(len(index.words), dtype=np.uint64)
        places[found[found >= 0]] = masks[found >= 0]
        return cls(places)

    def masks(self, words: "Lists", keys: Integers) -> Masks:
        """Which places of the question the lists of these keys explain."""
        sizes = words.sizes(keys)
        found = np.zeros(len(keys), dtype=np.uint64)
        some = np.flatnonzero(sizes)
        if len(some):
            said = self.places[words.gather(keys)]
            found[some] = np.bitwise_or.reduceat(said, (np.cumsum(sizes) - sizes)[some])
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """The k tables of which a question names rows; masks are those of `Verdict`."""

    said: SaidWords
    tables: Integers
    """(k,) rising."""
    row: Integers
    """(k,) the one row that is named; -1 where there are more."""
    named: Masks
    measured: Masks
    claimed: Masks
    heads: Masks
    words: Masks
    title: Masks
    spans: RaggedArray[np.uint64]
    """By table: places of the names of that row, without its amounts."""
    free: npt.NDArray[np.bool_]
    """(k,) whether nothing holds the filter back."""

    def verdict(self, place: int, asked: Asked, name: str) -> Verdict:
        """The verdict of the table at a place, with its reason."""
        masks = (self.named, self.measured, self.claimed, self.heads, self.words, self.title)
        named, measured, claimed, heads, words, title = (int(each[place]) for each in masks)
        row = int(self.row[place])
        held = held_because(asked, self.spans[place].tolist() if row >= 0 else None, claimed, heads | words, named)
        return Verdict(name, row, named, measured, claimed, heads, words, title, held)


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """The m places where a question names a row."""

    rows: Integers
    """(m,)."""
    span: Masks
    """(m,)."""
    is_amount: npt.NDArray[np.bool_]
    """(m,) whether the row stands for an amount that is said there, and is not called so."""

    @classmethod
    def of(cls, index: "RivalIndex", asked: Asked, of_names: list[tuple[int, int]]) -> "Mentions":
        """Those that are no part of a longer one; `of_names` are places of the question and numbers of names."""
        found = [(mask, index.rows_of_name[name].astype(np.int64), False) for mask, name in of_names]
        for each in asked.amounts:
            rows = index.rows_holding(each.amount)
            if len(rows):
                found.append((span_mask(each.start, each.stop), rows, True))
        masks = {mask for mask, *_ in found}
        found = [each for each in found if not any(each[0] & ~mask == 0 and mask != each[0] for mask in masks)]
        sizes = [len(rows) for _, rows, _ in found]
        return cls(
            np.concatenate([rows for _, rows, _ in found] or [np.zeros(0, dtype=np.int64)]),
            np.repeat(np.array([mask for mask, *_ in found], dtype=np.uint64), sizes),
            np.repeat(np.array([is_amount for *_, is_amount in found], dtype=np.bool_), sizes),
        )

    def at(self, places: Integers) -> "Mentions":
        """Some of them."""
        return Mentions(self.rows[places], self.span[places], self.is_amount[places])


def name_rows(index: "RivalIndex", asked: Asked) -> Named | None:
    """Which rows are named, by which names; None if no row is."""
    longest_name, longest_run = index.longest.tolist()
    spans, numbers = hashes_of_spans(asked.tokens, max(longest_name, longest_run))
    mentions = Mentions.of(index, asked, _found(spans, places_of(numbers, index.names)))
    if not len(mentions.rows):
        return None
    said = SaidWords.of(index, asked)
    rows, span = mentions.rows, mentions.span
    tables, which = np.unique(index.table_of[rows], return_inverse=True)
    heads = said.masks(index.words_of_heads, tables.astype(np.int64))
    runs = np.zeros(len(tables), dtype=np.uint64)
    of_heads = ((span & ~heads[which]) == 0) & ((span & np.uint64(asked.figures)) == 0)
    for mask, place in _found(spans, places_of(numbers, index.runs)):
        has = np.isin(tables, index.tables_of_run[place])
        runs[has] |= np.uint64(mask)
        of_heads |= has[which] & ((span & ~np.uint64(mask)) == 0) & (span != np.uint64(mask))
    kept = np.flatnonzero(~of_heads)
    if not len(kept):
        return None
    kept = kept[np.argsort(rows[kept], kind="stable")]
    return _named(index, asked, said, mentions.at(kept), (tables.astype(np.int64), heads, runs))


def _named(
    index: "RivalIndex",
    asked: Asked,
    said: SaidWords,
    mentions: Mentions,
    of_tables: tuple[Integers, Masks, Masks],
) -> Named:
    """Decide the tables of some mentions.

    Args:
        index: of the tables.
        asked: the question.
        said: its words.
        mentions: their rows rise.
        of_tables: numbers of tables, rising, with the words of their heads and of what is said of them whole.
    """
    rows, span = mentions.rows, mentions.span
    distinct, first = np.unique(rows, return_index=True)
    cover = np.bitwise_or.reduceat(span, first)
    tables, start, which = np.unique(index.table_of[distinct], return_index=True, return_inverse=True)
    whole = np.bitwise_or.reduceat(cover, start)
    best = np.flatnonzero(cover == whole[which])
    count = np.bincount(which[best], minlength=len(tables))
    row = np.full(len(tables), -1, dtype=np.int64)
    row[which[best]] = distinct[best]
    row[count != 1] = -1
    one = np.flatnonzero(row >= 0)
    words = np.zeros(len(tables), dtype=np.uint64)
    words[one] = said.masks(index.words_of_row, row[one])
    place = np.searchsorted(of_tables[0], tables)
    heads, claimed = of_tables[1][place], of_tables[2][place] | whole
    for word, following in asked.opposed:
        claimed[(heads & np.uint64(following)) != 0] |= np.uint64(word)
    table = np.searchsorted(tables, index.table_of[rows])
    own = (rows == row[table]) & ~mentions.is_amount
    spans = RaggedArray.of_sizes(np.bincount(table[own], minlength=len(tables)), span[own])
    beside = np.zeros(len(tables), dtype=np.uint64)
    np.bitwise_or.at(beside, table[own], span[own] << np.uint64(1) | span[own] >> np.uint64(1))
    measured = np.zeros(len(tables), dtype=np.uint64)
    by_amount = (rows == row[table]) & mentions.is_amount
    np.bitwise_or.at(measured, table[by_amount], span[by_amount])
    called = np.zeros(len(tables), dtype=np.uint64)
    np.bitwise_or.at(called, table[own], span[own])
    loose = ~claimed & ~(heads | words)
    held = (claimed & np.uint64(asked.holding)) != np.uint64(asked.holding)
    held |= (loose & np.uint64(asked.figures)) != 0
    held |= (loose & beside & np.uint64(asked.words & asked.informative)) != 0
    free = (row >= 0) & ~held if not asked.open else np.zeros(len(tables), dtype=np.bool_)
    title = said.masks(index.words_of_title, tables.astype(np.int64)) & np.uint64(asked.informative)
    title &= ~(whole & np.uint64(asked.figures))
    title[(title & np.uint64(asked.words)) == 0] = 0
    measured &= ~called
    return Named(said, tables.astype(np.int64), row, whole, measured, claimed, heads, words, title, spans, free)


def _found(spans: list[tuple[int, int]], places: Integers) -> list[tuple[int, int]]:
    """(mask, place) of the spans that have one."""
    return [(span_mask(*spans[at]), int(places[at])) for at in np.flatnonzero(places >= 0).tolist()]
