"""Where a question's words are: in a chunk's headings, its table's title, its columns, its cells, its names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.words.heading_index import HeadingIndex
from retrieval.index.words.tokenizer import Tokenize
from retrieval.index.words.value_index import ValueIndex
from retrieval.index.words.word_index import WordIndex
from retrieval.ingest.tables.column_labels import axis_names
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Chunk

NEAREST = 2
"""Headings above a chunk that say what it is about; those further up head half the book."""


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceIndex:
    """Words by the place where they are. What a table's rows share is kept once a table."""

    of: npt.NDArray[np.int32]
    """(n_chunks,): number of the chunk's table; prose has numbers of its own, after those of the tables."""
    heads: WordIndex
    """Nearest headings and caption by that number; for prose its names too."""
    columns: WordIndex
    """Column names by table."""
    values: ValueIndex
    """Cells and names of rows."""
    headings: HeadingIndex
    """Names of prose."""
    axes: CompiledPredicates
    """A table's columns that stand for a label and a number, as names of the table."""

    @classmethod
    def build(
        cls,
        chunks: Sequence[Chunk],
        names: Sequence[Sequence[str]],
        vocabulary: Vocabulary,
        tokenize: Tokenize,
        ask: Tokenize,
    ) -> "EvidenceIndex":
        """Index chunks; tables are numbered in their first order.

        Args:
            chunks: by position.
            names: those of each chunk that are words.
            vocabulary: what column names go through.
            tokenize: cuts texts.
            ask: cuts questions; of a heading too only what is looked for need be said.
        """
        first = {chunk.table_id: chunk for chunk in reversed(chunks) if chunk.table_id is not None}
        tables = list(reversed(first.values()))
        prose = [chunk for chunk in chunks if chunk.table_id is None]
        number = {chunk.table_id: place for place, chunk in enumerate(tables)}
        alone = iter(range(len(tables), len(tables) + len(prose)))
        of = (next(alone) if chunk.table_id is None else number[chunk.table_id] for chunk in chunks)
        named = list(zip(chunks, names, strict=True))
        return cls(
            np.fromiter(of, np.int32, count=len(chunks)),
            # Tables of one section share their headings.
            WordIndex.build(map(cache(tokenize), (" ".join(_head(chunk)) for chunk in (*tables, *prose)))),
            WordIndex.build(tokenize(" ".join(table.columns)) for table in tables),
            ValueIndex.build(chunks, [() if chunk.table_id is None else called for chunk, called in named], tokenize),
            HeadingIndex.build(
                [[ask(name) for name in called] if chunk.table_id is None else () for chunk, called in named]
            ),
            CompiledPredicates.build(
                [None] * len(tables), [tuple(axis_names(table.columns, vocabulary)) for table in tables], vocabulary
            ),
        )

    @property
    def n_tables(self) -> int:
        """Tables; a chunk whose number is not below is prose."""
        return len(self.axes)

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        save_array(folder / "of.npy", self.of)
        for name in ("heads", "columns", "values", "headings", "axes"):
            getattr(self, name).save(folder / name)

    @classmethod
    def load(cls, folder: Path) -> "EvidenceIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            load_array(folder / "of.npy", np.int32),
            WordIndex.load(folder / "heads"),
            WordIndex.load(folder / "columns"),
            ValueIndex.load(folder / "values"),
            HeadingIndex.load(folder / "headings"),
            CompiledPredicates.load(folder / "axes"),
        )


def _head(chunk: Chunk) -> Iterator[str]:
    yield from chunk.heading_path[-NEAREST:]
    if chunk.caption:
        yield chunk.caption
    if chunk.table_id is None:
        yield from chunk.names
