"""Rows whose vectors are equal: the id says which come back, not the order in which a collection found them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.fusion import best, similarity
from retrieval.search.retriever import Retriever
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder

TEXTS = [
    f"{word} of the {position}" for word in ("rope", "tent", "lamp", "sword") for position in ("sea", "hill", "night")
]
EQUALS = 60


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    chunks = [
        replace(CHUNK, id=f"{number:03}-{position:02}", text=text, search_text=text)
        for position, text in enumerate(TEXTS)
        for number in range(EQUALS)
    ]
    home, embedder = tmp_path_factory.mktemp("twins"), ToyEmbedder()
    vectors = embedder.embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(home, chunks, vectors, embedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, embedder)


@pytest.mark.parametrize("strategy", ["dense", "prefilter", "iterative"])
@pytest.mark.parametrize("k", [1, 5, 15, EQUALS, EQUALS + 7, 400])
def test_of_equals_the_first_by_id_come_back(twins: Retriever, strategy: str, k: int) -> None:
    question = "a tent for the hill"
    scores = similarity(twins.snapshot.vectors, twins.embedder.embed_query(question))
    wanted = [twins.snapshot.chunks[int(position)].id for position in best(scores, k)]
    assert len(np.unique(scores.round(6))) == len(TEXTS)
    assert list(twins.retrieve(question, k, strategy).chunk_ids) == wanted
