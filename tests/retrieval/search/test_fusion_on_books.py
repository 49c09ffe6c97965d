import os
from pathlib import Path

import numpy as np
import pytest

from evals.benchmarks.books import read_books
from evals.questions.questions import load_questions
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_text import embedding_text
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.dense.cosine import similarity
from retrieval.search.fusion import FUSIONS, Leg, best, total

DATA = os.environ.get("QUERYMUST_DATA")


def slow_min_max(legs: list[list[float]]) -> list[float]:
    total = [0.0] * len(legs[0])
    for weight, scores in zip((0.4, 0.6), legs, strict=True):
        low, high = min(scores), max(scores)
        total = [
            before + weight * (score - low) / (high - low + 1e-9) for before, score in zip(total, scores, strict=True)
        ]
    return total


def slow_theoretical(legs: list[list[float]]) -> list[float]:
    total = [0.0] * len(legs[0])
    for weight, floor, scores in zip((0.4, 0.6), (0.0, -1.0), legs, strict=True):
        high = max(scores) or 1.0
        total = [
            before + weight * max(score - floor, 0) / (high - floor)
            for before, score in zip(total, scores, strict=True)
        ]
    return total


def slow_reciprocal_rank(legs: list[list[float]]) -> list[float]:
    total = [0.0] * len(legs[0])
    for scores in legs:
        rank = {score: place for place, score in reversed(list(enumerate(sorted(scores, reverse=True), start=1)))}
        total = [
            before + 1 / (60 + rank[score]) if score > 0 else before
            for before, score in zip(total, scores, strict=True)
        ]
    return total


SLOW = {"min_max": slow_min_max, "theoretical": slow_theoretical, "reciprocal_rank": slow_reciprocal_rank}


@pytest.mark.data
@pytest.mark.skipif(DATA is None, reason="QUERYMUST_DATA names no folder")
def test_the_first_15_are_those_of_the_formula_over_every_document_of_a_book() -> None:
    embedder = load_embedder("wordllama")
    same: dict[str, list[bool]] = {name: [] for name in FUSIONS}
    (book,) = [each for each in read_books(Path(str(DATA)) / "ttrpg", "open") if each.name == "srd-3.5"]
    chunks = sorted(book.chunks(Vocabulary.default()), key=lambda chunk: chunk.id)
    index = LexicalIndex.build([chunk.search_text for chunk in chunks])
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    for question in load_questions(book.questions):
        legs = [index.scores(question.query), similarity(vectors, embedder.embed_query(question.query))]
        for name, fusion in FUSIONS.items():
            fused = total([fusion(Leg(legs[0], 0.4, 0.0)), fusion(Leg(legs[1], 0.6, -1.0))])
            slow = np.asarray(SLOW[name]([leg.tolist() for leg in legs]))
            same[name].append(best(fused, 15).tolist() == best(slow, 15).tolist())
    for name, agreed in same.items():
        assert len(agreed) > 20
        assert np.mean(agreed) >= 0.99, f"{name}: {np.mean(agreed):.3f}"
