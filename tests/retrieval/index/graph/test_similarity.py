import numpy as np
import pytest

from retrieval.index.graph import similarity
from retrieval.index.graph.similarity import NEIGHBOURS, THRESHOLD, similar_pairs


def unit(rows: int, seed: int = 0, spread: float = 0.2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(8, 16))
    matrix = (centres[rng.integers(0, 8, size=rows)] + spread * rng.normal(size=(rows, 16))).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def slow(vectors: np.ndarray, tables: np.ndarray) -> set[tuple[int, int]]:
    pairs = set()
    for one in range(len(vectors)):
        others = [
            (-float(vectors[one] @ vectors[other]), other)
            for other in range(len(vectors))
            if other != one and (tables[one] < 0 or tables[one] != tables[other])
        ]
        near = [other for score, other in sorted(others)[:NEIGHBOURS] if -score >= THRESHOLD]
        pairs |= {(min(one, other), max(one, other)) for other in near}
    return pairs


@pytest.mark.parametrize("rows", [1, 2, 5, 60])
def test_pairs_are_the_nearest_above_the_threshold(rows: int) -> None:
    vectors = unit(rows)
    tables = np.asarray([place // 7 if place % 3 else -1 for place in range(rows)], dtype=np.int32)
    assert set(map(tuple, similar_pairs(vectors, tables).tolist())) == slow(vectors, tables)


def test_of_many_chunks_most_near_pairs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, tables = unit(600), np.full(600, -1, dtype=np.int32)
    exact = set(map(tuple, similar_pairs(vectors, tables).tolist()))
    monkeypatch.setattr(similarity, "EXACT", 100)
    found = similar_pairs(vectors, tables)
    scores = np.einsum("ij,ij->i", vectors[found[:, 0]], vectors[found[:, 1]])
    assert (scores >= THRESHOLD).all()
    assert len(exact & set(map(tuple, found.tolist()))) / len(exact) > 0.6
    assert np.array_equal(found, similar_pairs(vectors, tables)), "the same pivots every time"
