import os
from pathlib import Path

import numpy as np
import pytest

from evals.questions.questions import load_questions
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.fusion import Leg, best, similarity, total, weighted_min_max
from tools.corpora.books import read_books

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
