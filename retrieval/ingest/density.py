"""Near-duplicate density: the share of texts that have many near-duplicates."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse

from retrieval.language.canonical import literal
from retrieval.types import Chunk

NEAR = 0.9
NEIGHBOURS = 5
_BLOCK = 1024
"""Texts compared with as many others at once."""
_NUMBER = "#"


@dataclass(frozen=True, slots=True)
class TableDensity:
    """The near-duplicate density of one table. Key: table_id."""

    table_id: str
    book: str
    title: str
    """The table's title, or its nearest heading."""
    rows: int
    guarded: int
    """Rows with a query_must."""
    density: float
    """Share of rows with 5 or more near-duplicates in this table and its twins, 0 to 1."""


def table_densities(chunks: Iterable[Chunk]) -> tuple[TableDensity, ...]:
    """Return the density of every table that has rows, densest first, then by title.

    Near-duplicates are counted in the table and its twins: four matrices of five rows are as hard to tell apart as one
    of twenty.
    """
    families: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.kind == "row" and chunk.table_id:
            families[f"{chunk.book}\0{chunk.signature or chunk.table_id}"].append(chunk)
    densities = [density for family in families.values() for density in _densities_of(family)]
    return tuple(sorted(densities, key=lambda table: (-table.density, table.book, table.title, table.table_id)))


def near_duplicate_density(texts: Sequence[str]) -> float:
    """Return the share of texts with 5 or more neighbours above 0.9 cosine; 0.0 for fewer than six texts."""
    return float(near_duplicates(texts).mean()) if texts else 0.0


def near_duplicates(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether each text has 5 or more neighbours above 0.9 cosine, (len(texts),).

    The vectors are term counts rather than a model's, because strict rows must not depend on the embedder. All numbers
    count as one term, because twins differ only in numbers, which a model hardly distinguishes.
    """
    if len(texts) <= NEIGHBOURS:
        return np.zeros(len(texts), dtype=np.bool_)
    kinds: dict[tuple[tuple[str, int], ...], int] = {}
    kind_of = np.asarray([kinds.setdefault(_counts(text), len(kinds)) for text in texts])
    matrix, times = _normalised(list(kinds)), np.bincount(kind_of)
    near = np.zeros(len(kinds), dtype=np.int64)
    for start in range(0, len(kinds), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(kinds)))
        # The rows around a row are most like it: rows that are crowded there are not compared with all others.
        for first in (start, *(other for other in range(0, len(kinds), _BLOCK) if other != start)):
            near[rows] += _similar(matrix, rows, first) @ times[first : first + _BLOCK]
            # Each text is its own neighbour above any threshold, so it is not counted.
            rows = rows[near[rows] - 1 < NEIGHBOURS]
            if not len(rows):
                break
    crowded: npt.NDArray[np.bool_] = (near - 1 >= NEIGHBOURS)[kind_of]
    return crowded


def _similar(matrix: scipy.sparse.csr_matrix, rows: npt.NDArray[np.int64], first: int) -> npt.NDArray[np.bool_]:
    """Return whether each text of a block is near each of `rows`, (len(rows), at most the size of a block)."""
    near: npt.NDArray[np.bool_] = (matrix[rows] @ matrix[first : first + _BLOCK].T).toarray() > NEAR
    return near


def _densities_of(family: Sequence[Chunk]) -> list[TableDensity]:
    rows: dict[str, list[tuple[Chunk, bool]]] = defaultdict(list)
    for chunk, crowded in zip(family, near_duplicates([chunk.search_text for chunk in family]).tolist(), strict=True):
        rows[chunk.table_id or ""].append((chunk, crowded))
    return [
        TableDensity(
            table_id=table_id,
            book=row[0][0].book,
            title=_title(row[0][0]),
            rows=len(row),
            guarded=sum(chunk.query_must is not None for chunk, _ in row),
            density=sum(crowded for _, crowded in row) / len(row),
        )
        for table_id, row in rows.items()
    ]


def _title(row: Chunk) -> str:
    return (None if row.introduced else row.caption) or " ".join(row.heading_path[-1:])


def _counts(text: str) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(_NUMBER if any(map(str.isdigit, word)) else word for word in literal(text).split()).items())


def _normalised(kinds: Sequence[tuple[tuple[str, int], ...]]) -> scipy.sparse.csr_matrix:
    columns: dict[str, int] = {}
    row_ids, column_ids, values = [], [], []
    for row, counts in enumerate(kinds):
        norm = sum(count * count for _, count in counts) ** 0.5
        for term, count in counts:
            row_ids.append(row)
            column_ids.append(columns.setdefault(term, len(columns)))
            values.append(count / norm)
    shape = (len(kinds), max(len(columns), 1))
    return scipy.sparse.csr_matrix((values, (row_ids, column_ids)), shape=shape, dtype=np.float32)
