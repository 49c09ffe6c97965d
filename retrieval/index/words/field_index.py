"""Words by field (row key, cells, columns, headings), their rarity, and headings of prose."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray, distinct
from retrieval.index.term_table import TermTable
from retrieval.index.words.lexical_index import LexicalIndex, WordIndex
from retrieval.ingest.tables.row_object import other_names
from retrieval.language.terms import Tokenize
from retrieval.types import Chunk

PLACES = 3
"""Parents of a heading in one book from which it no longer distinguishes tables; with two, one may be an index."""


def telling_paths(tables: Sequence[Chunk]) -> list[tuple[str, ...]]:
    """Return the heading path of each table or passage, with its most distinctive heading moved to the end.

    That is the nearest heading with fewer than `PLACES` parents in its book: `Progression` under `Fighter`, `Thief`
    and `Elf` is less distinctive than each of these. The headings below it keep their order, before it.
    """
    parents: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for book, path in {(table.book, table.heading_path) for table in tables}:
        for depth in range(1, len(path)):
            parents[book, path[depth].casefold()].add(path[:depth])
    common = {name for name, parent in parents.items() if len(parent) >= PLACES}
    return [_told(table.book, table.heading_path, common) for table in tables]


def _told(book: str, path: tuple[str, ...], common: Collection[tuple[str, str]]) -> tuple[str, ...]:
    at = len(path) - 1
    while at > 0 and (book, path[at].casefold()) in common:
        at -= 1
    return (*path[:at], *path[at + 1 :], *path[at : at + 1])


def first_chunks(chunks: Sequence[Chunk], of: npt.NDArray[np.int32]) -> list[Chunk]:
    """Return the first chunk of each table or passage, in the order of their numbers.

    Args:
        chunks: by position.
        of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
    """
    return [chunks[position] for position in np.unique(of, return_index=True)[1]]


Words = RaggedArray[np.int32]
Cells = npt.NDArray[np.int16]
Sections = npt.NDArray[np.int32]

UNKNOWN = -1
"""The number of a word that the lexical index does not have."""

RowField = Literal["key", "cell", "passage"]
HeadField = Literal["caption", "heading", "above", "further", "column"]


@dataclass(frozen=True, slots=True, eq=False)
class FieldIndex:
    """Words by field, as numbers of the lexical index's terms; by chunk, or by the number of its table or passage."""

    key: Words
    """By chunk: the cell that identifies the row."""
    cell: Words
    """By chunk: all cells, followed by the label above the row, its other names and the meanings of its codes."""
    cell_of: Cells
    """The cell of each item of `cell`."""
    passage: Words
    """By chunk: prose; empty for rows."""
    caption: Words
    """By table, as all that follow: its caption, and the other texts that it is searched by."""
    heading: Words
    """The nearest heading that distinguishes it from other tables of its book."""
    above: Words
    """The next heading, between that one and the table or above it."""
    further: Words
    """The other headings."""
    column: Words
    """Column names, each with its initials: `ar` for `Armor Rating`."""
    column_of: Cells
    """The column of each item of `column`."""
    section: Sections
    """(tables,) section of each table or passage; a section has one document and one heading path."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32], terms: TermTable, tokenize: Tokenize
    ) -> "FieldIndex":
        """Index chunks.

        Args:
            chunks: by position.
            of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
            terms: of the lexical index.
            tokenize: for texts.
        """
        cut = cache(tokenize)
        tables = first_chunks(chunks, of)
        rows = [chunk if chunk.table_id is not None else None for chunk in chunks]
        cells = [list(_numbered(_texts_of(chunk) if chunk else (), cut)) for chunk in rows]
        columns = [list(_numbered(table.columns, lambda name: (*cut(name), *cut(_initials(name))))) for table in tables]
        number, paths = _numbers(terms), telling_paths(tables)
        return cls(
            number([cut(chunk.row_key or "") if chunk else () for chunk in rows]),
            number([[word for _, word in words] for words in cells]),
            _places(cells),
            number([cut(chunk.search_text) if chunk.table_id is None else () for chunk in chunks]),
            number([cut(" ".join((table.caption or "", *table.searched_as))) for table in tables]),
            number([cut(_nearest(path, 1)) for path in paths]),
            number([cut(_nearest(path, 2)) for path in paths]),
            number([[word for heading in path[:-2] for word in cut(heading)] for path in paths]),
            number([[word for _, word in words] for words in columns]),
            _places(columns),
            _sections(tables),
        )


def _sections(tables: Sequence[Chunk]) -> Sections:
    known: dict[tuple[str, str, tuple[str, ...]], int] = {}
    sections = [(table.book, table.document, table.heading_path) for table in tables]
    return np.asarray([known.setdefault(section, len(known)) for section in sections], dtype=np.int32)


def _texts_of(row: Chunk) -> tuple[str, ...]:
    return (*row.cells, str(row.metadata.get("row_label", "")), *other_names((*row.names, *row.meanings), row.cells))


def _nearest(path: Sequence[str], level: int) -> str:
    return path[-level] if len(path) >= level else ""


def _initials(column: str) -> str:
    words = [word for word in column.split() if word[0].isalpha()]
    return "".join(word[0] for word in words).casefold() if len(words) > 1 else ""


def _numbered(texts: Sequence[str], cut: Callable[[str], Iterable[str]]) -> Iterator[tuple[int, str]]:
    for position, text in enumerate(texts):
        yield from ((position, word) for word in cut(text))


def _places(numbered: Iterable[Iterable[tuple[int, str]]]) -> Cells:
    return np.fromiter((position for words in numbered for position, _ in words), np.int16)


def _numbers(terms: TermTable) -> Callable[[Sequence[Sequence[str]]], Words]:
    known: dict[str, int] = {}

    def number(texts: Sequence[Sequence[str]]) -> Words:
        new = list({word for words in texts for word in words if word not in known})
        known.update((word, UNKNOWN if at is None else at) for word, at in zip(new, terms.positions(new), strict=True))
        return RaggedArray.build([[known[word] for word in words] for words in texts], np.int32)

    return number


Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class HeadingIndex:
    """Distinct headings as bags of words, and the chunks under each; memory-mapped when loaded."""

    n_chunks: int
    words: WordIndex
    """The headings that contain each word."""
    lengths: npt.NDArray[np.int32]
    """(headings,): number of distinct words in each."""
    chunks: RaggedArray[np.int32]
    """The chunks under each heading, ascending, each once."""

    @classmethod
    def build(cls, headings: Sequence[Sequence[Sequence[str]]]) -> "HeadingIndex":
        """Index the tokenized headings of each chunk, by position; headings without words are ignored."""
        positions_by_bag: dict[tuple[str, ...], list[int]] = {}
        for position, cut in enumerate(headings):
            for bag in dict.fromkeys(tuple(sorted(set(words))) for words in cut):
                if bag:
                    positions_by_bag.setdefault(bag, []).append(position)
        return cls(
            len(headings),
            WordIndex.build(positions_by_bag),
            np.fromiter(map(len, positions_by_bag), np.int32, count=len(positions_by_bag)),
            RaggedArray.build(positions_by_bag.values(), np.int32),
        )

    def matched(self, weights: Mapping[str, float]) -> tuple[Positions, npt.NDArray[np.float64]]:
        """Return the chunks with a heading whose words all occur in a question, in any order.

        Args:
            weights: of every word of the question.

        Returns:
            Their positions, ascending, and the weight of the words of those headings; a word counts once a chunk.
        """
        holding = self.words.postings(list(weights))
        held = np.bincount(np.concatenate([*holding, self.lengths[:0]]), minlength=len(self.lengths))
        if not np.any(held == self.lengths):
            return np.empty(0, dtype=np.int64), np.empty(0)
        under = [self._under(headings[held[headings] == self.lengths[headings]]) for headings in holding]
        positions = distinct(np.concatenate(under))
        total = np.zeros(len(positions))
        for chunks, weight in zip(under, weights.values(), strict=True):
            total[np.searchsorted(positions, chunks)] += weight
        return positions[total != 0], total[total != 0]

    def _under(self, headings: npt.NDArray[np.int32]) -> Positions:
        """Return the chunks under any of these headings, each once."""
        return distinct(self.chunks.gather(headings)).astype(np.int64)


Weights = npt.NDArray[np.float64]


def rarity(lexical: LexicalIndex, of: npt.NDArray[np.int32]) -> Weights:
    """Return the weight of every word: Lucene's idf, over N tables and passages of which n have the word.

    The idf is ln(1 + (N - n + 0.5) / (n + 0.5)). (terms + 1,): the last entry is for words that the index does not
    have, which count as the rarest. The rows of a table count once, so that a heading above forty rows weighs the same
    as one above a passage.

    Args:
        lexical: the words of the chunks.
        of: (chunks,) number of each chunk's table or passage.
    """
    count = int(of.max(initial=-1)) + 1
    postings = lexical.documents
    terms = np.repeat(np.arange(lexical.n_terms), np.diff(postings.starts))
    pairs = np.unique(terms * count + of[postings.items])
    n = np.bincount(pairs // max(count, 1), minlength=lexical.n_terms)
    weights = np.log1p((count - n + 0.5) / (n + 0.5))
    return np.append(weights, weights.max(initial=0.0))
