"""The order of a cross-encoder: by a library of the same name and shape, and by the real one where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.errors import ModelError
from retrieval.search.by_model import cross_encoder
from retrieval.search.by_model.cross_encoder import cross_encoded
from retrieval.search.retriever import Retriever

LIBRARY = """
import numpy as np

class CrossEncoder:
    def __init__(self, name, *, local_files_only, trust_remote_code):
        assert local_files_only and not trust_remote_code
        if name == "absent":
            raise OSError("no such model in the cache")

    def predict(self, pairs, *, batch_size, convert_to_numpy, show_progress_bar):
        return np.array([-len(text) for _, text in pairs], dtype=np.float32)
"""
QUESTION = "what does a cleric roll to hit armor class 3"


@pytest.fixture
def shortest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Its scores are the shorter the text, the higher."""
    (tmp_path / "sentence_transformers.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    cross_encoder._encoder.cache_clear()
    yield
    sys.modules.pop("sentence_transformers", None)
    cross_encoder._encoder.cache_clear()


@pytest.mark.usefixtures("shortest_first")
def test_the_best_score_comes_first_and_stands_among_the_evidence(retriever: Retriever) -> None:
    before = retriever.retrieve(QUESTION, 20)
    found = retriever.retrieve(QUESTION, 10, "default+cross_encoder")
    lengths = sorted(len(hit.chunk.search_text) for hit in before.hits)
    assert [-hit.evidence["cross_encoder"] for hit in found.hits] == lengths[:10]
    assert found.receipt.ordering is not None
    assert (found.receipt.ordering.left, found.receipt.ordering.usd) == ("", 0.0)
    for hit in found.hits:
        assert sum(each.contribution for each in hit.addends) == pytest.approx(hit.score)


@pytest.mark.usefixtures("shortest_first")
def test_a_model_that_is_not_here_says_how_to_fetch_it(retriever: Retriever) -> None:
    found = retriever.retrieve(QUESTION, 10, "default+cross_encoder:absent")
    assert found.chunk_ids == retriever.retrieve(QUESTION, 10).chunk_ids
    assert found.receipt.ordering is not None
    assert "import CrossEncoder as M; M('absent')" in found.receipt.ordering.left


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="the library is installed")
def test_without_the_library_it_says_what_to_install(retriever: Retriever) -> None:
    found = retriever.retrieve(QUESTION, 10, "default+cross_encoder")
    assert found.chunk_ids == retriever.retrieve(QUESTION, 10).chunk_ids
    assert found.receipt.ordering is not None
    assert "needs a library: pip install 'sentence-transformers>=5'" in found.receipt.ordering.left


def test_a_real_cross_encoder_puts_the_passage_that_answers_first(retriever: Retriever) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra [st], which brings torch")
    hits = [hit.chunk for hit in retriever.retrieve("price of a dagger", 20).hits]
    try:
        scores = cross_encoded("cross-encoder/ms-marco-MiniLM-L6-v2", "damage of a dagger", hits)
    except ModelError as error:
        pytest.skip(str(error))
    assert hits[scores.index(max(scores))].row_key == "dagger"
