"""Where a question's words stand: in a chunk's headings, its table's title, its columns, its cells, its names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.arrays import load_array, save_array
from retrieval.index.tokens import Tokenize
from retrieval.index.value_index import ValueIndex
from retrieval.index.word_index import WordIndex
from retrieval.ingest.column_labels import axis_names
from retrieval.query_must.compiled import CompiledPredicates
from retrieval.query_must.vocabulary import Vocabulary
from retrieval.types import Chunk

NEAREST = 2
"""Headings above a chunk that say what it is about; those further up head half the book."""

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceIndex:
    """Words by the place where they stand. What a table's rows share is kept once a table."""

    of: npt.NDArray[np.int32]
    """(n_chunks,): number of the chunk's table; -1 for prose."""
    heads: WordIndex
    """A chunk's nearest headings and caption; for prose its names too."""
    titles: WordIndex
    """A table's nearest headings and caption."""
    columns: WordIndex
    """A table's column names."""
    values: ValueIndex
    axes: CompiledPredicates
    """A table's columns that stand for a label and a number, as names of the table."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], names: Sequence[Sequence[str]], vocabulary: Vocabulary, tokenize: Tokenize
    ) -> "EvidenceIndex":
        """Index these chunks and their names in words, by position; tables are numbered in their first order."""
        numbers: dict[str, int] = {}
        first: list[Chunk] = []
        of = np.full(len(chunks), -1, dtype=np.int32)
        for position, chunk in enumerate(chunks):
            if chunk.table_id is not None:
                if chunk.table_id not in numbers:
                    numbers[chunk.table_id] = len(first)
                    first.append(chunk)
                of[position] = numbers[chunk.table_id]
        return cls(
            of,
            # The rows of a table share their headings.
            WordIndex.build(map(cache(tokenize), (" ".join(_head(chunk)) for chunk in chunks))),
            WordIndex.build(tokenize(" ".join(_title(chunk))) for chunk in first),
            WordIndex.build(tokenize(" ".join(chunk.columns)) for chunk in first),
            ValueIndex.build(chunks, names, tokenize),
            CompiledPredicates.build(
                [None] * len(first), [tuple(axis_names(chunk.columns, vocabulary)) for chunk in first], vocabulary
            ),
        )

    def of_table(self, by_table: Scores) -> Scores:
        """A score a table as a score a chunk, (n_chunks,); 0 for chunks that have none."""
        if not by_table.any():
            return np.zeros(len(self.of))
        # The appended zero is what -1, no table, wraps to.
        scores: Scores = np.append(by_table, 0.0).take(self.of, mode="wrap")
        return scores

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        save_array(folder / "of.npy", self.of)
        for name in ("heads", "titles", "columns", "values", "axes"):
            getattr(self, name).save(folder / name)

    @classmethod
    def load(cls, folder: Path) -> "EvidenceIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            load_array(folder / "of.npy", np.int32),
            WordIndex.load(folder / "heads"),
            WordIndex.load(folder / "titles"),
            WordIndex.load(folder / "columns"),
            ValueIndex.load(folder / "values"),
            CompiledPredicates.load(folder / "axes"),
        )


def _title(chunk: Chunk) -> Iterator[str]:
    yield from chunk.heading_path[-NEAREST:]
    if chunk.caption:
        yield chunk.caption


def _head(chunk: Chunk) -> Iterator[str]:
    yield from _title(chunk)
    if chunk.kind == "prose":
        yield from chunk.names
