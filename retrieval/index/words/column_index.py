"""What the columns of tables mean, as vectors of their names: `how heavy` asks for `Weight`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.words.first_chunks import first_chunks
from retrieval.index.words.word_model import WORDS
from retrieval.ragged import RaggedArray
from retrieval.types import Chunk, Vector


@dataclass(frozen=True, slots=True, eq=False)
class ColumnIndex:
    """Distinct column names and their vectors."""

    columns: RaggedArray[np.int32]
    """By table: the numbers of its column names."""
    vectors: Vector
    """(names, dimensions) of the model of words."""

    @classmethod
    def build(cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32]) -> "ColumnIndex":
        """Index chunks.

        Args:
            chunks: by position.
            of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
        """
        tables = first_chunks(chunks, of)
        names: dict[str, int] = {}
        columns = [
            [names.setdefault(column.casefold(), len(names)) for column in table.columns if column.strip()]
            if table.table_id is not None
            else []
            for table in tables
        ]
        vectors = WORDS.embed(list(names)) if names else np.zeros((0, WORDS.identity.dimensions), dtype=np.float32)
        return cls(RaggedArray.build(columns, np.int32), vectors)

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        self.columns.save(folder, "columns")
        save_array(folder / "vectors.npy", self.vectors)

    @classmethod
    def load(cls, folder: Path) -> "ColumnIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(RaggedArray.load(folder, np.int32, "columns"), load_array(folder / "vectors.npy", np.float32))
