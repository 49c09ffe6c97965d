import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.questions.questions import load_questions
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.fusion import Cosines, Leg, best, similarity, total, weighted_min_max
from tools.corpora.books import read_books

SCORES = st.lists(st.sampled_from([-1.5, 0.0, 0.25, 1.0, 7.0]), max_size=40).map(np.asarray).map(np.float64)


@given(SCORES, st.integers(0, 50), st.randoms(use_true_random=False))
def test_best_is_the_head_of_a_full_sort_by_score_then_position(scores, k, rng) -> None:
    allowed = np.asarray([rng.random() < 0.6 for _ in scores], dtype=bool)
    expected = sorted(np.flatnonzero(allowed), key=lambda position: (-scores[position], position))[:k]
    assert best(scores, k, allowed).tolist() == expected
    assert best(scores, k).tolist() == sorted(range(len(scores)), key=lambda number: (-scores[number], number))[:k]


@given(st.integers(1, 300), st.sampled_from([3, 37, 256, 384, 1536]), st.integers(0, 2**32 - 1))
def test_similarity_of_a_row_is_the_same_bits_wherever_it_stands(rows: int, dimensions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, dimensions)).astype(np.float32)
    vector = rng.normal(size=dimensions).astype(np.float32)
    some = rng.permutation(rows)[: rows // 2 + 1]
    assert np.array_equal(similarity(matrix, vector)[some], similarity(matrix[some], vector))


# Four documents by hand: BM25 8, 2, 0, 4 and cosine 0.6, 0.8, 0.7, -0.2.
LEGS = (Leg(np.asarray([8.0, 2.0, 0.0, 4.0]), weight=0.4), Leg(np.asarray([0.6, 0.8, 0.7, -0.2]), weight=0.6))


def test_min_max_stretches_each_leg_between_its_worst_and_its_best() -> None:
    # 0.4 * 8/8 + 0.6 * 0.8/1.0, 0.4 * 2/8 + 0.6, 0 + 0.6 * 0.9, 0.4 * 4/8 + 0
    assert total([weighted_min_max(leg) for leg in LEGS]) == pytest.approx([0.88, 0.70, 0.54, 0.20])


TWO = st.integers(1, 30).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 3.0]), min_size=n, max_size=n), min_size=1, max_size=2
    )
)


@given(TWO)
def test_a_document_that_is_better_in_every_leg_is_better(legs: list[list[float]]) -> None:
    fused = total([weighted_min_max(Leg(np.asarray(leg), 0.5)) for leg in legs])
    for one in range(len(fused)):
        for other in range(len(fused)):
            if all(leg[one] >= leg[other] for leg in legs):
                assert fused[one] >= fused[other]


def test_cosines_are_the_same_wherever_they_are_asked_for(snapshot: Snapshot) -> None:
    vector = snapshot.vectors[7]
    everywhere = similarity(snapshot.vectors, vector)
    few, many = np.asarray([3, 7, 100]), np.arange(0, len(snapshot), 2)

    assert Cosines(snapshot.vectors, vector).at(few).tolist() == everywhere[few].tolist()
    assert Cosines(snapshot.vectors, vector).at(many).tolist() == everywhere[many].tolist()
    assert Cosines(snapshot.vectors, vector).all.tolist() == everywhere.tolist()


DATA = os.environ.get("QUERYMUST_DATA")


def slow_min_max(legs: list[list[float]]) -> list[float]:
    total = [0.0] * len(legs[0])
    for weight, scores in zip((0.4, 0.6), legs, strict=True):
        low, high = min(scores), max(scores)
        total = [
            before + weight * (score - low) / (high - low + 1e-9) for before, score in zip(total, scores, strict=True)
        ]
    return total


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(DATA is None, reason="QUERYMUST_DATA names no folder")
def test_the_first_15_are_those_of_the_formula_over_every_document_of_a_book() -> None:
    embedder = load_embedder("wordllama")
    same = []
    (book,) = [book for book in read_books(Path(str(DATA)) / "ttrpg", "open") if book.name == "srd-3.5"]
    chunks = sorted(book.chunks(Vocabulary.default()), key=lambda chunk: chunk.id)
    index = LexicalIndex.build([chunk.search_text for chunk in chunks])
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    for question in load_questions(book.questions):
        legs = [index.scores(question.query), similarity(vectors, embedder.embed_query(question.query))]
        fused = total([weighted_min_max(Leg(legs[0], 0.4)), weighted_min_max(Leg(legs[1], 0.6))])
        slow = np.asarray(slow_min_max([leg.tolist() for leg in legs]))
        same.append(best(fused, 15).tolist() == best(slow, 15).tolist())
    assert len(same) > 20
    assert np.mean(same) >= 0.99
