"""Near-duplicate density: how much of a set of texts is a crowd of twins."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy.sparse

from retrieval.query_must.canonical import literal

NEAR = 0.9
NEIGHBOURS = 5
_BLOCK = 2048
_NUMBER = "#"


def near_duplicate_density(texts: Sequence[str]) -> float:
    """Share of texts with 5 or more neighbours above 0.9 cosine; 0.0 for fewer than six texts.

    The vectors are term counts, not a model's: which rows are strict must not change with the embedder. All numbers
    count as one term, because twins differ by their numbers and a model hardly sees them.
    """
    if len(texts) <= NEIGHBOURS:
        return 0.0
    matrix = _normalised_counts(texts)
    crowded = 0
    for start in range(0, len(texts), _BLOCK):
        similar = (matrix[start : start + _BLOCK] @ matrix.T).toarray() > NEAR
        # Each text is its own neighbour above any threshold, so it is not counted.
        crowded += int(np.count_nonzero(similar.sum(axis=1) - 1 >= NEIGHBOURS))
    return crowded / len(texts)


def _normalised_counts(texts: Sequence[str]) -> scipy.sparse.csr_matrix:
    columns: dict[str, int] = {}
    row_ids, column_ids, values = [], [], []
    for row, text in enumerate(texts):
        counts = Counter(_NUMBER if any(map(str.isdigit, word)) else word for word in literal(text).split())
        norm = sum(count * count for count in counts.values()) ** 0.5
        for term, count in counts.items():
            row_ids.append(row)
            column_ids.append(columns.setdefault(term, len(columns)))
            values.append(count / norm)
    shape = (len(texts), max(len(columns), 1))
    return scipy.sparse.csr_matrix((values, (row_ids, column_ids)), shape=shape, dtype=np.float32)
