"""The first hits of `default` in the order of a chat model on a real socket, and what is left as it was."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import ModelError
from retrieval.search.by_model import model_order
from retrieval.search.by_model.model_order import cross_encoded
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import scored, strategy
from retrieval.strategy import ModelOrder
from retrieval.types import Retrieval
from tests.openai_server.faults import InTurn
from tests.openai_server.server import KEY, FakeOpenAi

QUESTION = "what does a cleric roll to hit armor class 3"


@pytest.fixture
def reversing_server(chat_server: FakeOpenAi, monkeypatch: pytest.MonkeyPatch) -> FakeOpenAi:
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.answering = backwards
    return chat_server


def passages(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(json.loads(body["messages"][1]["content"])["passages"])


def backwards(body: Mapping[str, Any]) -> str:
    return json.dumps({"order": [passage["passage"] for passage in passages(body)][::-1]})


def ids(found: Retrieval) -> Sequence[str]:
    return found.chunk_ids


def test_the_first_twenty_come_in_the_models_order_and_the_rest_after_them(retriever, reversing_server):
    before = retriever.retrieve(QUESTION, 30)
    result = retriever.retrieve(QUESTION, 30, "default+chat")
    assert ids(result) == (*ids(before)[:20][::-1], *ids(before)[20:])
    assert [hit.rank for hit in result.hits] == list(range(1, 31))
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(set(scores), reverse=True)
    for hit in result.hits:
        assert sum(addend.contribution for addend in hit.addends) == pytest.approx(hit.score)
    (body,) = reversing_server.asked
    assert body["response_format"]["json_schema"]["strict"] is True
    assert [passage["title"] for passage in passages(body)] == [hit.chunk.title for hit in before.hits[:20]]


def test_fewer_hits_are_the_beginning_of_more(retriever: Retriever, reversing_server: FakeOpenAi) -> None:
    few, many = (retriever.retrieve(QUESTION, k, "default+chat") for k in (3, 20))
    assert ids(few) == ids(many)[:3]
    assert [decision.chunk_id for decision in few.receipt.decisions if decision.kept] == list(ids(few))


def test_the_receipt_says_what_it_cost_and_how_long_it_took(retriever: Retriever, reversing_server: FakeOpenAi) -> None:
    receipt = retriever.retrieve(QUESTION, 5, "default+chat").receipt
    assert receipt.ordering is not None
    assert (receipt.ordering.model, receipt.ordering.looked_at, receipt.ordering.left) == ("gpt-4o-mini", 20, "")
    used = (receipt.ordering.prompt_tokens, receipt.ordering.completion_tokens)
    assert used == (reversing_server.counts.prompt, reversing_server.counts.completion)
    assert receipt.ordering.usd is None, "what another server than OpenAI's costs is unknown"
    assert "order" in [stage.name for stage in receipt.stages]
    assert receipt.milliseconds > receipt.ordering.milliseconds > 0
    assert str(receipt.ordering).startswith("gpt-4o-mini ordered the first 20 (")
    other = retriever.retrieve(QUESTION, 5, "default+chat:llama3").receipt.ordering
    assert (other.model, other.usd) == ("llama3", None)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"order": [1, 2]}', "its answer does not list every passage once"),
        (json.dumps({"order": [*range(1, 20), 1]}), "its answer does not list every passage once"),
        (json.dumps({"order": [*range(1, 20), 21]}), "its answer does not list every passage once"),
        ('{"order": "as they are"}', "not in the requested form: "),
        ('{"order": [1], "because": "x"}', "not in the requested form: "),
    ],
)
def test_an_order_without_every_passage_once_is_not_believed(retriever, reversing_server, answer, why):
    reversing_server.answering = lambda _: answer
    before, result = retriever.retrieve(QUESTION, 20), retriever.retrieve(QUESTION, 10, "default+chat")
    assert ids(result) == ids(before)[:10]
    assert [hit.addends for hit in result.hits] == [hit.addends for hit in before.hits[:10]]
    assert result.receipt.ordering is not None
    assert result.receipt.ordering.left.startswith(why)
    assert result.receipt.ordering.prompt_tokens > 0


@pytest.mark.parametrize("fault", ["key", "refusal", "truncated", "malformed", "cut"])
def test_whatever_goes_wrong_the_hits_of_default_are_there(retriever, reversing_server, fault):
    reversing_server.plan = InTurn([fault] * 2)
    result = retriever.retrieve(QUESTION, 10, "default+chat")
    assert ids(result) == ids(retriever.retrieve(QUESTION, 10))
    assert result.receipt.ordering is not None
    assert result.receipt.ordering.left
    assert "\n" not in str(result.receipt.ordering)
    assert KEY not in str(result.receipt)


def test_without_a_key_it_says_so_in_one_line(retriever: Retriever, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = retriever.retrieve(QUESTION, 10, "default+chat")
    assert ids(result) == ids(retriever.retrieve(QUESTION, 10))
    output = "gpt-4o-mini needs OPENAI_API_KEY; set it, or use the strategy default"
    assert result.receipt.ordering is not None
    assert result.receipt.ordering.left == output
    with pytest.raises(ModelError, match=output):
        retriever.retrieve(QUESTION, 10, scored(strategy("default+chat")))


def test_a_place_keeps_its_score_also_where_scores_are_equal(retriever, reversing_server):
    flat = replace(strategy("bm25"), name="flat", order=ModelOrder("chat", "m", 60))
    scores = [hit.score for hit in retriever.retrieve("dagger", 60, flat).hits]
    before = [hit.score for hit in retriever.retrieve("dagger", 60, "bm25").hits]
    assert len(set(before)) < 60
    assert scores == sorted(set(scores), reverse=True)
    assert scores == pytest.approx(before)


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


@pytest.fixture
def shortest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Its scores are the shorter the text, the higher."""
    (tmp_path / "sentence_transformers.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    model_order._encoder.cache_clear()
    yield
    sys.modules.pop("sentence_transformers", None)
    model_order._encoder.cache_clear()


@pytest.mark.usefixtures("shortest_first")
def test_the_best_score_comes_first_and_stands_among_the_evidence(retriever: Retriever) -> None:
    before = retriever.retrieve(QUESTION, 20)
    result = retriever.retrieve(QUESTION, 10, "default+cross_encoder")
    lengths = sorted(len(hit.chunk.search_text) for hit in before.hits)
    assert [-hit.evidence["cross_encoder"] for hit in result.hits] == lengths[:10]
    assert result.receipt.ordering is not None
    assert (result.receipt.ordering.left, result.receipt.ordering.usd) == ("", 0.0)
    for hit in result.hits:
        assert sum(addend.contribution for addend in hit.addends) == pytest.approx(hit.score)


@pytest.mark.usefixtures("shortest_first")
def test_a_model_that_is_not_here_says_how_to_fetch_it(retriever: Retriever) -> None:
    result = retriever.retrieve(QUESTION, 10, "default+cross_encoder:absent")
    assert result.chunk_ids == retriever.retrieve(QUESTION, 10).chunk_ids
    assert result.receipt.ordering is not None
    assert "import CrossEncoder as M; M('absent')" in result.receipt.ordering.left


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="the library is installed")
def test_without_the_library_it_says_what_to_install(retriever: Retriever) -> None:
    result = retriever.retrieve(QUESTION, 10, "default+cross_encoder")
    assert result.chunk_ids == retriever.retrieve(QUESTION, 10).chunk_ids
    assert result.receipt.ordering is not None
    assert "needs a Python package: pip install 'sentence-transformers>=5'" in result.receipt.ordering.left


def test_a_real_cross_encoder_puts_the_passage_that_answers_first(retriever: Retriever) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra [st], which brings torch")
    hits = [hit.chunk for hit in retriever.retrieve("price of a dagger", 20).hits]
    try:
        scores = cross_encoded("cross-encoder/ms-marco-MiniLM-L6-v2", "damage of a dagger", hits)
    except ModelError as error:
        pytest.skip(str(error))
    assert hits[scores.index(max(scores))].row_key == "dagger"
