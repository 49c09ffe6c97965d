"""What names a table: one lexical document a table, made of heading path, caption and column names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.arrays import load_array, save_array
from retrieval.index.lexical import LexicalIndex
from retrieval.index.tokens import Tokenize, tokens
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True, eq=False)
class TableIndex:
    """BM25 over the tables of a library, and the table of every chunk."""

    of: npt.NDArray[np.int32]
    """(n_chunks,): number of the chunk's table; -1 for prose."""
    lexical: LexicalIndex
    """Over heading path, caption and column names."""
    columns: LexicalIndex
    """Over column names alone."""

    @classmethod
    def build(cls, chunks: Sequence[Chunk], tokenize: Tokenize = tokens) -> "TableIndex":
        """Number the tables of these chunks in their first order."""
        numbers: dict[str, int] = {}
        texts: list[str] = []
        columns: list[str] = []
        of = np.full(len(chunks), -1, dtype=np.int32)
        for position, chunk in enumerate(chunks):
            if chunk.table_id is None:
                continue
            if chunk.table_id not in numbers:
                numbers[chunk.table_id] = len(texts)
                texts.append(" ".join((*chunk.heading_path, chunk.caption or "", *chunk.columns)))
                columns.append(" ".join(chunk.columns))
            of[position] = numbers[chunk.table_id]
        return cls(of, LexicalIndex.build(texts, tokenize), LexicalIndex.build(columns, tokenize))

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """BM25 of each chunk's table, (n_chunks,); 0 for chunks that have none."""
        return self._spread(self.lexical.scores(query))

    def column_scores(self, query: str) -> npt.NDArray[np.float64]:
        """BM25 of the column names of each chunk's table, (n_chunks,); 0 for chunks that have none."""
        return self._spread(self.columns.scores(query))

    def _spread(self, by_table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        # The appended zero is what -1, no table, picks.
        scores: npt.NDArray[np.float64] = np.append(by_table, 0.0)[self.of]
        return scores

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        self.lexical.save(folder / "names")
        self.columns.save(folder / "columns")
        save_array(folder / "of.npy", self.of)

    @classmethod
    def load(cls, folder: Path, tokenize: Tokenize = tokens) -> "TableIndex":
        """Map what `save` wrote."""
        return cls(
            load_array(folder / "of.npy", np.int32),
            LexicalIndex.load(folder / "names", tokenize),
            LexicalIndex.load(folder / "columns", tokenize),
        )
