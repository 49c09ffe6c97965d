"""Finds the rows that a question names, for all keyed tables at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import Integers, RaggedArray, begins
from retrieval.query_must.compiled.atoms import AtomNumbers, hash_of, hashes_of_spans, places_of
from retrieval.query_must.compiled.sibling_arrays import Lists, SiblingArrays
from retrieval.query_must.operators import Term
from retrieval.query_must.sibling_mentions import QueryMentions, span_mask
from retrieval.query_must.siblings import TableVerdict, why_not_applied

Masks = npt.NDArray[np.uint64]
"""Places of tokens, as in `QueryMentions`."""
Places = list[tuple[int, int]]
"""Masks of places of the question, and the number of the run there."""
KINDS = NAME, AMOUNT, STEP, SHARED = range(4)
"""Kinds of mention: a name of the row, the amount that it is, a value of its step, a cell that several rows have."""


@dataclass(frozen=True, slots=True, eq=False)
class RowMentions:
    """The m mentions of rows in a question."""

    rows: Integers
    """(m,) ascending."""
    span: Masks
    """(m,)."""
    what: npt.NDArray[np.int8]
    """(m,)."""

    @classmethod
    def of(cls, index: SiblingArrays, mentions: QueryMentions, names: Places, shared: Places) -> "RowMentions":
        """Return the mentions that are not part of a longer one; the arguments are places of the question and numbers
        of runs."""
        candidates = [(mask, index.rows_of_name[name].astype(np.int64), NAME) for mask, name in names]
        for amount in mentions.amounts:
            steps = index.rows_holding(amount.amount, steps=True)
            others = np.setdiff1d(index.rows_holding(amount.amount), steps, assume_unique=True)
            candidates += [
                (span_mask(*amount.span), rows, what) for rows, what in ((others, AMOUNT), (steps, STEP)) if len(rows)
            ]
        own = {mask for mask, *_ in candidates}
        candidates += [(mask, index.rows_of_shared[cell].astype(np.int64), SHARED) for mask, cell in shared]
        every = own | {mask for mask, _ in shared}
        outer = [
            candidate for candidate in candidates if not _inside(candidate[0], every if candidate[2] == SHARED else own)
        ]
        sizes = [len(rows) for _, rows, _ in outer]
        rows = np.concatenate([rows for _, rows, _ in outer] or [np.zeros(0, dtype=np.int64)])
        order = np.argsort(rows, kind="stable")
        span = np.repeat(np.array([mask for mask, *_ in outer], dtype=np.uint64), sizes)
        what = np.repeat(np.array([what for *_, what in outer], dtype=np.int8), sizes)
        return cls(rows[order], span[order], what[order])

    def at(self, places: npt.NDArray[np.bool_]) -> "RowMentions":
        """Return some of the mentions."""
        return RowMentions(self.rows[places], self.span[places], self.what[places])

    def covers(self, rows: Integers, *what: int) -> Masks:
        """Return the union of the mentions of these kinds of each of some rows, which are in ascending order."""
        covers = np.zeros(len(rows), dtype=np.uint64)
        if len(rows):
            key = np.minimum(np.searchsorted(rows, self.rows), len(rows) - 1)
            wanted = np.zeros(len(KINDS), dtype=np.bool_)
            wanted[list(what)] = True
            some = (rows[key] == self.rows) & wanted[self.what]
            np.bitwise_or.at(covers, key[some], self.span[some])
        return covers


def _inside(mask: int, others: Iterable[int]) -> bool:
    return any(mask & ~other == 0 and mask != other for other in others)


@dataclass(frozen=True, slots=True, eq=False)
class QueryWords:
    """The words of the index that a question contains, and their places."""

    places: Masks
    """(W,)."""

    @classmethod
    def of(cls, index: SiblingArrays, mentions: QueryMentions) -> "QueryWords":
        """Look up the question's tokens."""
        numbers = np.array([hash_of((token,)) for token in mentions.places], dtype=np.uint64)
        positions, masks = places_of(numbers, index.words), np.array(list(mentions.places.values()), dtype=np.uint64)
        places = np.zeros(len(index.words), dtype=np.uint64)
        places[positions[positions >= 0]] = masks[positions >= 0]
        return cls(places)

    def masks(self, words: Lists, keys: Integers) -> Masks:
        """Return the places of the question that the lists of these keys explain."""
        sizes = words.sizes(keys)
        masks = np.zeros(len(keys), dtype=np.uint64)
        some = np.flatnonzero(sizes)
        if len(some):
            places = self.places[words.gather(keys)]
            masks[some] = np.bitwise_or.reduceat(places, (np.cumsum(sizes) - sizes)[some])
        return masks


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """The k tables with rows that a question names; masks are those of `TableVerdict`."""

    query_words: QueryWords
    tables: Integers
    """(k,) ascending."""
    row: Integers
    """(k,) the one row that is named; -1 if there are several."""
    named: Masks
    measured: Masks
    claimed: Masks
    heads: Masks
    words: Masks
    title: Masks
    spans: RaggedArray[np.uint64]
    """Places of the names of that row, without its amounts, by table."""
    free: npt.NDArray[np.bool_]
    """(k,) whether the rows of the table may be excluded: nothing prevents it."""

    def verdict(self, number: int, mentions: QueryMentions) -> TableVerdict:
        """Return the verdict of the table with this number, with its reason."""
        masks = (self.named, self.measured, self.claimed, self.heads, self.words, self.title)
        named, measured, claimed, heads, words, title = (int(mask[number]) for mask in masks)
        row = int(self.row[number])
        reason = why_not_applied(
            mentions, self.spans[number].tolist() if row >= 0 else None, claimed, heads, words, named
        )
        return TableVerdict(row, named, measured, claimed, heads, words, title, reason)


def name_rows(index: SiblingArrays, mentions: QueryMentions) -> Named | None:
    """Return which rows are named, and by which names; None if no row is."""
    spans, numbers = hashes_of_spans(mentions.tokens, max(index.longest.tolist()))
    names, shared = (_found(spans, places_of(numbers, runs)) for runs in (index.names, index.shared))
    row_mentions = RowMentions.of(index, mentions, names, shared)
    if not len(row_mentions.rows):
        return None
    query_words = QueryWords.of(index, mentions)
    span = row_mentions.span
    tables, which = np.unique(index.table_of[row_mentions.rows], return_inverse=True)
    heads = query_words.masks(index.words_of_heads, tables.astype(np.int64))
    runs = np.zeros(len(tables), dtype=np.uint64)
    of_heads = ((span & ~heads[which]) == 0) & ((span & np.uint64(mentions.figures)) == 0)
    for mask, run in _found(spans, places_of(numbers, index.runs)):
        has = np.isin(tables, index.tables_of_run[run])
        runs[has] |= np.uint64(mask)
        of_heads |= has[which] & ((span & ~np.uint64(mask)) == 0) & (span != np.uint64(mask))
    chosen = _chosen(index, row_mentions.at(~of_heads))
    if not len(chosen.tables):
        return None
    which_tables = np.searchsorted(tables, chosen.tables)
    return _named(index, mentions, query_words, chosen, heads[which_tables], runs[which_tables])


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The k tables with named rows, and in each the one row that covers all mentions of its rows."""

    tables: Integers
    """(k,) ascending."""
    row: Integers
    """(k,) -1 if there is no such row, or more than one."""
    whole: Masks
    """(k,) places covered by the mentions of the rows that cover the most."""
    mentions: RowMentions
    """Mentions of these rows."""


def _chosen(index: SiblingArrays, mentions: RowMentions) -> Chosen:
    """Choose rows by names and amounts first; cells that several rows have decide between those."""
    rows = np.unique(mentions.rows)
    tables, which = np.unique(index.table_of[rows], return_inverse=True)
    first = mentions.covers(rows, NAME, AMOUNT, STEP)
    by_name = _united(first, which, len(tables))
    able = first == by_name[which]
    cover = first | mentions.covers(rows, SHARED)
    whole = _united(np.where(able, cover, np.uint64(0)), which, len(tables))
    best = np.flatnonzero(able & (cover == whole[which]))
    row = np.full(len(tables), -1, dtype=np.int64)
    row[which[best]] = rows[best]
    row[np.bincount(which[best], minlength=len(tables)) != 1] = -1
    kept = np.flatnonzero((row >= 0) | (by_name != 0))
    whole = np.where(whole == 0, by_name, whole)
    return Chosen(tables[kept].astype(np.int64), row[kept], whole[kept], mentions)


def _named(
    index: SiblingArrays, mentions: QueryMentions, query_words: QueryWords, chosen: Chosen, heads: Masks, runs: Masks
) -> Named:
    """Decide the k chosen tables.

    Args:
        index: the index of the tables.
        query_words: the words of the question in the index.
        heads: (k,) words of the tables' heads.
        runs: (k,) places of titles, columns and numbered labels that the question contains whole.
    """
    tables, row, whole, row_mentions = chosen.tables, chosen.row, chosen.whole, chosen.mentions
    one = np.flatnonzero(row >= 0)
    words = np.zeros(len(tables), dtype=np.uint64)
    words[one] = query_words.masks(index.words_of_row, row[one])
    claimed = runs | whole
    for word, following in mentions.opposed:
        claimed[(heads & np.uint64(following)) != 0] |= np.uint64(word)
    which_tables = np.searchsorted(tables, index.table_of[row_mentions.rows])
    table = np.minimum(which_tables, len(tables) - 1)
    own = (row_mentions.rows == row[table]) & np.isin(row_mentions.what, (NAME, SHARED))
    spans = RaggedArray.of_sizes(np.bincount(table[own], minlength=len(tables)), row_mentions.span[own])
    called = _united(row_mentions.span[own], table[own], len(tables))
    words_of = own.copy()
    masks = np.unique(row_mentions.span[own])
    for code in (mask for mask in masks if mentions.is_code(int(mask))):
        words_of &= row_mentions.span != code
    joined = [mask for mask in masks if mentions.is_joined(int(mask))]
    before = _united(row_mentions.span[words_of] >> np.uint64(1), table[words_of], len(tables))
    measured = np.zeros(len(tables), dtype=np.uint64)
    measured[one] = row_mentions.covers(row[one], STEP) & ~called[one]
    loose = ~claimed & ~(heads | words)
    held = (claimed & np.uint64(mentions.holding)) != np.uint64(mentions.holding)
    held |= (loose & before & np.uint64(mentions.words & mentions.informative)) != 0
    held[table[own & np.isin(row_mentions.span, joined)]] = True
    bare = np.isin(whole, [mask for mask in masks if mentions.is_bare(int(mask))])
    held |= bare & ((heads & np.uint64(mentions.words & mentions.informative) & ~whole) == 0)
    free = (row >= 0) & ~held if not mentions.open else np.zeros(len(tables), dtype=np.bool_)
    title = query_words.masks(index.words_of_title, tables) & np.uint64(mentions.informative)
    title &= ~(whole & np.uint64(mentions.figures))
    title[[not mask & mentions.words or mentions.is_joined(mask) for mask in title.tolist()]] = 0
    return Named(query_words, tables, row, whole, measured, claimed, heads, words, title, spans, free)


def _united(masks: Masks, groups: Integers, n: int) -> Masks:
    """Return (n,) the union of the masks of each group."""
    united = np.zeros(n, dtype=np.uint64)
    np.bitwise_or.at(united, groups, masks)
    return united


def _found(spans: list[tuple[int, int]], places: Integers) -> Places:
    """Return (mask, place) of the spans that were found."""
    return [(span_mask(*spans[at]), int(places[at])) for at in np.flatnonzero(places >= 0).tolist()]


@dataclass(frozen=True, slots=True)
class NamedRows:
    """The rows that one question names. Both arrays have one entry per row."""

    positions: Integers
    """Ascending, each once."""
    weights: npt.NDArray[np.float64]
    """Sum over the row's names in the question of log(1 + rows / rows with that name): a name that many rows share has
    little weight."""


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names as atoms, and the rows that have each."""

    rows: int
    atoms: Integers
    """The atom of each name, ascending."""
    rows_of_name: RaggedArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.atoms) != len(self.rows_of_name):
            raise ValueError(f"{len(self.atoms)} atoms and {len(self.rows_of_name)} lists of rows")

    @staticmethod
    def build(rows: Sequence[Sequence[str]], numbers: AtomNumbers) -> "NameIndex":
        """Arrange each row's canonical names; an empty one is not a name."""
        atoms_of_row = [[numbers.of(Term(name)) for name in row if name] for row in rows]
        atoms = sorted({atom for row in atoms_of_row for atom in row})
        key = {atom: at for at, atom in enumerate(atoms)}
        places = [list(dict.fromkeys(key[atom] for atom in row)) for row in atoms_of_row]
        return NameIndex(len(rows), np.array(atoms, np.int64), RaggedArray.invert(places, len(atoms)))

    def named(self, holding: Integers) -> NamedRows:
        """Return the rows with a name whose atom holds; `holding` is in ascending order."""
        key = np.searchsorted(self.atoms, holding)
        inside = key < len(self.atoms)
        names = key[inside][self.atoms[key[inside]] == holding[inside]]
        bearers = self.rows_of_name.sizes(names)
        hits = self.rows_of_name.gather(names)
        order = np.argsort(hits, kind="stable")
        ordered = hits[order]
        weights = np.repeat(np.log1p(self.rows / np.maximum(bearers, 1)), bearers)[order]
        starts = np.flatnonzero(begins(ordered))
        return NamedRows(ordered[starts], np.add.reduceat(weights, starts) if len(starts) else np.zeros(0))
