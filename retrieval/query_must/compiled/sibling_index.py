"""The keyed tables of an index, and the rows that a question excludes from them, with the same verdicts as `Siblings`.

Only tables with a named row are examined, and if the question contains a title, those of the same kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import Integers, RaggedArray
from retrieval.language.canonical import Canonical
from retrieval.query_must.compiled.atoms import hash_of, places_of
from retrieval.query_must.compiled.naming import Named, name_rows
from retrieval.query_must.compiled.sibling_arrays import SiblingArrays, hashes_of
from retrieval.query_must.sibling_mentions import QueryMentions, span_mask
from retrieval.query_must.siblings import TableVerdict, duplicate_table_reason, named_reason

_NOBODY = -1


@dataclass(frozen=True)
class CompiledExclusions:
    """The rows of an index that one question excludes. The same result as `siblings.Exclusions`.

    A question that contains a title can exclude all rows of many tables; a search that examines a few chunks checks
    only those.
    """

    _index: SiblingArrays
    _mentions: QueryMentions | None
    _named: Named | None

    @cached_property
    def is_empty(self) -> bool:
        """Whether no row is excluded, as far as that is known without checking any row."""
        return self._named is None or not self._named.free.any()

    @cached_property
    def positions(self) -> Integers:
        """Positions of the excluded chunks, ascending."""
        rows, _ = self._excluded
        return np.sort(self._index.positions[rows])

    @cached_property
    def _excluded(self) -> tuple[Integers, Integers]:
        """The excluded rows, ascending, and which of the named tables excludes each."""
        index, named = self._index, self._named
        if named is None or self.is_empty:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        kinds = np.unique(index.kind[named.tables[named.free & (named.title != 0)]]).tolist()
        near = [index.tables_of_kind[kind].astype(np.int64) for kind in kinds]
        tables = np.unique(np.concatenate([named.tables[named.free], *near]))
        rows = RaggedArray(index.rows, index.positions).places(tables)
        by = self._excluding_table(rows)
        return rows[by != _NOBODY], by[by != _NOBODY]

    def among(self, positions: Integers) -> npt.NDArray[np.bool_]:
        """Return which chunks at these positions are excluded, aligned with them."""
        excluded = np.zeros(len(positions), dtype=np.bool_)
        if not self.is_empty:
            rows = self._index.rows_at(positions)
            keyed = np.flatnonzero(rows >= 0)
            excluded[keyed] = self._excluding_table(rows[keyed]) != _NOBODY
        return excluded

    def why(self, table: str, row: int) -> str:
        """Return why a row is excluded; empty if it is not."""
        # A receipt needs this three times: whether a predicate holds, why it does not, and that in words.
        why = self._said.get((table, row))
        if why is None:
            why = self._said[table, row] = self._why(table, row)
        return why

    @cached_property
    def _said(self) -> dict[tuple[str, int], str]:
        return {}

    def _why(self, table: str, row: int) -> str:
        number = -1 if self.is_empty else self._index.row(table, row)
        rows, tables = self._excluded
        at = int(places_of(np.array([number]), rows)[0])
        if at < 0 or self._mentions is None or self._named is None:
            return ""
        by = int(tables[at])
        own = self._named.tables[by] == self._index.table_of[number]
        return (named_reason if own else duplicate_table_reason)(
            self._mentions, self._named.verdict(by, self._mentions)
        )

    def why_not_applied(self, table: str, row: int) -> str:
        """Return why no row of the table is excluded although the question names one; empty if it names none, or if
        rows are excluded."""
        number = self._index.row(table, row) if self._named is not None else -1
        verdict = self._verdict(int(self._index.table_of[number])) if number >= 0 else None
        return verdict.why_not_applied if verdict else ""

    def _verdict(self, table: int) -> TableVerdict | None:
        if self._named is None or self._mentions is None:
            return None
        at = int(places_of(np.array([table]), self._named.tables)[0])
        return self._named.verdict(at, self._mentions) if at >= 0 else None

    def _excluding_table(self, rows: Integers) -> Integers:
        """Return which of the named tables excludes each row: its own, or else the first of its kind."""
        by = np.full(len(rows), _NOBODY, dtype=np.int64)
        if self._named is None or self._mentions is None or not len(rows):
            return by
        index, named, mentions = self._index, self._named, self._mentions
        tables = index.table_of[rows].astype(np.int64)
        words = named.query_words.masks(index.words_of_row, rows)
        key = places_of(tables, named.tables)
        own = np.flatnonzero((key >= 0) & named.free[key])
        table_of = key[own]
        telling = np.uint64(mentions.informative) & ~named.claimed & ~(named.heads & np.uint64(mentions.words))
        says_no_more = (words[own] & (telling & ~named.words)[table_of]) == 0
        explained = words[own] & ~named.measured[table_of] | self._words_of_amounts(rows[own])
        is_excluded = says_no_more & ((named.named[table_of] & ~explained) != 0) & (rows[own] != named.row[table_of])
        by[own[is_excluded]] = table_of[is_excluded]
        self._of_twins(by, tables, words)
        return by

    def _words_of_amounts(self, rows: Integers) -> npt.NDArray[np.uint64]:
        """Return the places of amounts in the question that these rows represent."""
        words = np.zeros(len(rows), dtype=np.uint64)
        for amount in self._mentions.amounts if self._mentions else ():
            words[np.isin(rows, self._index.rows_holding(amount.amount))] |= np.uint64(span_mask(*amount.span))
        return words

    def _of_twins(self, by: Integers, tables: Integers, words: npt.NDArray[np.uint64]) -> None:
        """Fill in what excludes rows that their own table does not: a table of the same kind whose title the question
        contains."""
        if self._named is None or self._mentions is None:
            return
        index, named = self._index, self._named
        beyond = np.uint64(self._mentions.informative) & ~(named.words | named.heads)
        kinds = index.kind[tables]
        able = np.flatnonzero(named.free & (named.title != 0))
        if not len(able):
            return
        own = index.kind[named.tables[able]].astype(np.uint64)
        _, first = np.unique(np.stack([own, beyond[able], named.title[able]]), axis=1, return_index=True)
        distinct, which = np.unique(tables, return_inverse=True)
        explained = words | named.query_words.masks(index.words_of_heads, distinct)[which]
        for at in np.sort(able[first]).tolist():
            # A table has the words of its own title, so its own rows are not among these.
            same = kinds == index.kind[named.tables[at]]
            out = same & ((explained & beyond[at]) == 0) & ((named.title[at] & ~explained) != 0)
            by[out & (by == _NOBODY)] = at


class SiblingIndex(SiblingArrays):
    """The keyed tables of an index, which a question can be compared with."""

    def read(self, question: Canonical) -> CompiledExclusions:
        """Decide every table with a row that the question names."""
        mentions = QueryMentions.of(question, self.amounts.stretches, self._known) if len(self.tables) else None
        named = name_rows(self, mentions) if mentions is not None else None
        return CompiledExclusions(self, mentions, named)

    def _known(self, keys: Sequence[str]) -> Sequence[bool]:
        hashes = hashes_of(hash_of((key,)) for key in keys)
        known: list[bool] = ((places_of(hashes, self.names) >= 0) | (places_of(hashes, self.shared) >= 0)).tolist()
        return known

    def with_rivals(self, question: Canonical) -> Canonical:
        """Return the question with the rows that it excludes."""
        return replace(question, rivals=self.read(question))
