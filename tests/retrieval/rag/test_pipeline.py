import logging
import shutil
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.errors import (
    EmbedderUnavailableError,
    EmbeddingFailureError,
    IndexCorruptError,
    IndexMissingError,
    InvalidQueryError,
    NoDocumentsFoundError,
    NothingLiveError,
    RetrievalTimeoutError,
    UnreadableSettingsError,
    VectorDBUnavailableError,
)
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import live_id, snapshot_folder
from retrieval.rag import pipeline as pipeline_module
from retrieval.rag.contract import RAGContext, RetrieveRequest
from retrieval.rag.pipeline import RAGPipeline
from retrieval.rag.rag_context import ContextSource
from retrieval.types import Embedder, Vector

KEY = "channel:user"


class Gone:
    """An embedder whose server does not answer, or not in time."""

    def __init__(self, wait: Callable[[], object] | None = None) -> None:
        self._inner: Embedder = load_embedder()
        self.identity, self.wait = self._inner.identity, wait
        self.embed = self._inner.embed

    def embed_query(self, query: str) -> Vector:
        if self.wait is None:
            raise EmbedderUnavailableError("the server is away; ask again")
        self.wait()
        return self._inner.embed_query(query)


@pytest.mark.parametrize(
    ("query", "said"),
    [("", "at least one character"), (" \n\t", "at least one"), ("why " * 750, "3000 characters"), (None, "None")],
)
def test_a_question_that_cannot_be_asked_is_refused(skirmish: RAGPipeline, query: Any, said: str) -> None:
    with pytest.raises(InvalidQueryError, match=said):
        skirmish.retrieve(query, KEY)


@pytest.mark.parametrize("key", ["", "channel", ":user", "channel:", " : ", "a:" + "b" * 200, None, 5])
def test_a_context_key_of_another_form_is_refused(skirmish: RAGPipeline, key: Any) -> None:
    with pytest.raises(InvalidQueryError, match="CHANNEL:USER"):
        skirmish.retrieve("barricade", key)


@pytest.mark.parametrize(
    "bad",
    [{"max_chunks": 0}, {"max_chunks": 1.5}, {"max_chunks": True}, {"min_relevance": 1.1}, {"min_relevance": "x"}],
)
def test_a_number_that_cannot_be_used_is_refused(skirmish: RAGPipeline, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidQueryError, match=next(iter(bad))):
        skirmish.retrieve("barricade", KEY, **bad)


def test_a_conversation_that_was_never_seen_begins(skirmish: RAGPipeline) -> None:
    first, other = (skirmish.retrieve("barricade", f"nobody:{name}") for name in ("a", "b"))
    assert first.document_chunks == other.document_chunks
    assert first.query_id == other.query_id
    assert first.context_id != other.context_id


@pytest.mark.parametrize("question", ["?!...", "🙂🙂🙂", "the of and", "a" * 2000, "{'$ne': 1}", "\x00\x01"])
def test_strange_questions_get_an_answer_or_none_with_a_reason(skirmish: RAGPipeline, question: str) -> None:
    result = skirmish.retrieve(question, KEY)
    assert result.meets_threshold == bool(result.document_chunks) == (not result.reason)
    assert 0 <= result.avg_relevance <= 1


def test_chunks_below_the_threshold_are_left_out_and_the_mean_is_of_the_others(skirmish: RAGPipeline) -> None:
    every = skirmish.retrieve("range of the long rifle", KEY, min_relevance=0.0)
    assert len(every.document_chunks) == 5
    least = (every.relevance_scores[0] + every.relevance_scores[-1]) / 2
    some = skirmish.retrieve("range of the long rifle", KEY, min_relevance=least)
    assert 1 <= some.total_chunks < 5
    assert some.relevance_scores == every.relevance_scores[: some.total_chunks]
    assert some.avg_relevance == pytest.approx(np.mean(some.relevance_scores))
    none = skirmish.retrieve("range of the long rifle", KEY, min_relevance=1.0)
    assert (none.total_chunks, none.meets_threshold) == (0, False)
    assert none.avg_relevance == pytest.approx(np.mean(every.relevance_scores))
    assert f"{every.relevance_scores[0]:.2f}" in none.reason


def test_an_answer_does_not_depend_on_how_many_are_wanted(skirmish: RAGPipeline) -> None:
    five = skirmish.retrieve("Barricade rules", KEY, max_chunks=5, min_relevance=0)
    one = skirmish.answer(RetrieveRequest("Barricade rules", KEY, 1, 0))
    assert one.document_chunks == five.document_chunks[:1]
    assert skirmish.retrieve("Barricade rules", KEY, max_chunks=10_000, min_relevance=0).total_chunks == 38


def test_who_wants_to_be_interrupted_is(skirmish: RAGPipeline) -> None:
    result = skirmish.retrieve("barricade", KEY)
    assert result.required() is result
    with pytest.raises(NoDocumentsFoundError, match="nothing in these books answers"):
        skirmish.retrieve("How do I cook pasta?", KEY).required()


def test_a_home_without_an_index_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(VectorDBUnavailableError, match="nothing is live") as raised:
        RAGPipeline(tmp_path).retrieve("barricade", KEY)
    assert isinstance(raised.value, NothingLiveError)
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def damage_pointer(root: Path) -> None:
    (root / "live").write_text("nonsense")


def damage_vectors(root: Path) -> None:
    path = snapshot_folder(root, str(live_id(root))) / "vectors.npy"
    path.write_bytes(path.read_bytes()[:-4] + b"\0\0\0\1")


def lose_manifest(root: Path) -> None:
    (snapshot_folder(root, str(live_id(root))) / "manifest.json").unlink()


def damage_calibration(root: Path) -> None:
    (snapshot_folder(root, str(live_id(root))) / "relevance.json").write_text('{"names": ["luck"]}')


@pytest.mark.parametrize("damage", [damage_pointer, damage_vectors, lose_manifest, damage_calibration])
def test_a_damaged_index_is_unavailable(weapons: RAGPipeline, damage: Callable[[Path], None]) -> None:
    damage(weapons.home.root)
    with pytest.raises(VectorDBUnavailableError) as raised:
        weapons.retrieve("long rifle", KEY)
    assert isinstance(raised.value, IndexCorruptError)


def test_an_index_that_the_system_refuses_is_unavailable(weapons: RAGPipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(weapons._live, "reader", refuse)
    with pytest.raises(VectorDBUnavailableError, match="Permission denied"):
        weapons.retrieve("long rifle", KEY)


def test_an_embedder_that_is_gone_is_named_and_the_next_answer_comes(weapons_home: Path) -> None:
    gone = Gone()
    pipeline = RAGPipeline(weapons_home, embedder=gone)
    with pytest.raises(EmbeddingFailureError, match="the server is away"):
        pipeline.retrieve("long rifle", KEY)
    gone.wait = lambda: None
    assert pipeline.retrieve("long rifle", KEY).meets_threshold


def test_an_answer_that_does_not_come_in_time_is_given_up(weapons_home: Path) -> None:
    gate = threading.Event()
    pipeline = RAGPipeline(weapons_home, embedder=Gone(gate.wait), timeout=0.2)
    try:
        with pytest.raises(RetrievalTimeoutError, match=r"within 0\.2 seconds"):
            pipeline.retrieve("long rifle", KEY)
    finally:
        gate.set()
    assert RAGPipeline(weapons_home)._deadline.seconds == 10.0


def test_an_answer_is_kept_until_its_time_is_over_or_another_index_is_live(weapons, documents):
    now = 0.0
    looked: list[str] = []
    embedder = Gone(lambda: looked.append("x"))
    pipeline = RAGPipeline(weapons.home.root, embedder=embedder, timer=lambda: now)
    first = pipeline.retrieve("long rifle", KEY)
    once = len(looked)
    assert pipeline.retrieve("long rifle", KEY) == first
    assert len(looked) == once, "nothing was searched"
    now = 301.0
    assert pipeline.retrieve("long rifle", KEY) == first
    assert len(looked) == 2 * once
    weapons.ingest([documents["faq.md"]])
    assert pipeline.retrieve("long rifle", KEY).context_id != first.context_id
    assert len(looked) == 3 * once


def test_an_index_that_was_let_go_is_opened_by_the_next_question(weapons_home: Path) -> None:
    with closing(RAGPipeline(weapons_home, strategy="dense")) as pipeline:
        first = pipeline.retrieve("long rifle", KEY, min_relevance=0)
        pipeline.close()
        assert pipeline._live._reader is None
        assert (
            pipeline.retrieve("long rifle", KEY, max_chunks=3, min_relevance=0).document_chunks
            == (first.document_chunks[:3])
        )


def test_the_settings_of_the_home_are_the_defaults(weapons: RAGPipeline) -> None:
    root = weapons.home.root
    (root / "rag.yaml").write_text("retrieval: {max_chunks: 2, min_relevance: 0.0, cache_ttl_seconds: 0}\n")
    assert RAGPipeline(root).retrieve("damage", KEY).total_chunks == 2
    assert RAGPipeline(root).retrieve("damage", KEY, max_chunks=3).total_chunks == 3
    (root / "rag.yaml").write_text("retrieval: {max_chunks: none}\n")
    with pytest.raises(UnreadableSettingsError, match="max_chunks"):
        RAGPipeline(root)


def test_a_library_that_was_built_is_asked_by_the_same_contract(sample: Home) -> None:
    pipeline = RAGPipeline(sample.root)
    result = pipeline.retrieve("What does a 7th level cleric need to roll to hit AC 6?", KEY)
    assert result.meets_threshold
    chunk = result.document_chunks[0]
    assert chunk.metadata["doc_type"] == "core-rules"
    assert "leric" in chunk.metadata["section"]
    assert chunk.document_id.version == chunk.chunk_id.version == 5
    assert chunk.position_in_doc >= 0
    assert not pipeline.retrieve("How do I cook pasta?", KEY).meets_threshold


def test_an_index_that_is_removed_while_it_answers_gives_way_to_the_one_that_is_live(weapons, documents, monkeypatch):
    root = weapons.home.root
    before = str(live_id(root))
    ask, query = pipeline_module.retrieve_context, list[str]()

    def outrun(reader: ContextSource, request: RetrieveRequest) -> RAGContext:
        query.append(reader.retriever.snapshot.id)
        if len(query) == 1:
            weapons.ingest([documents["faq.md"]])
            shutil.rmtree(snapshot_folder(root, before))  # what of it was not mapped yet is gone
        return ask(reader, request)

    monkeypatch.setattr(pipeline_module, "retrieve_context", outrun)
    assert weapons.retrieve("long rifle", KEY).meets_threshold
    assert query == [before, live_id(root)]
    shutil.rmtree(snapshot_folder(root, query[1]))
    with pytest.raises(IndexMissingError, match=query[1]):
        RAGPipeline(root).retrieve("long rifle", KEY)
