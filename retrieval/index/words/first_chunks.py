"""The chunk that stands for a table or a passage: the first of it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrieval.types import Chunk


def first_chunks(chunks: Sequence[Chunk], of: npt.NDArray[np.int32]) -> list[Chunk]:
    """The first chunk of each table or passage, in the order of their numbers.

    Args:
        chunks: by position.
        of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
    """
    return [chunks[position] for position in np.unique(of, return_index=True)[1]]
