import asyncio
from typing import TYPE_CHECKING

import pytest

from retrieval.home import Home

if TYPE_CHECKING:
    from retrieval.adapters.llamaindex_retriever import LlamaIndexRetriever

QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def retriever(sample: Home) -> "LlamaIndexRetriever":
    pytest.importorskip("llama_index.core", reason="needs the extra [llamaindex]")
    from retrieval.adapters.llamaindex_retriever import LlamaIndexRetriever

    return LlamaIndexRetriever.open(sample.root, k=5)


def test_it_answers_with_nodes(retriever: "LlamaIndexRetriever") -> None:
    hits = retriever.search.live.reader().retriever.retrieve(QUESTION, k=5).hits
    result = retriever.retrieve(QUESTION)
    assert [(each.node.node_id, each.text, each.score) for each in result] == [
        (hit.chunk.id, hit.chunk.text, hit.score) for hit in hits
    ]
    assert result[0].node.ref_doc_id == "lantern-and-blade/03-combat.md"
    assert result[0].metadata["reason"] == "satisfies query_must"


def test_a_coroutine_gets_the_same_and_lets_others_go_on(retriever, monkeypatch):
    wanted = retriever.retrieve(QUESTION)
    search = retriever._retrieve
    turns: list[str] = []

    async def ask() -> object:
        begun, may_end = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def waiting(query: object) -> object:
            loop.call_soon_threadsafe(begun.set)
            asyncio.run_coroutine_threadsafe(may_end.wait(), loop).result(20)
            turns.append("answered")
            return search(query)  # type: ignore[arg-type]

        monkeypatch.setattr(retriever, "_retrieve", waiting)
        task = asyncio.create_task(retriever.aretrieve(QUESTION))
        await asyncio.wait_for(begun.wait(), 20)
        turns.append("another went on")
        may_end.set()
        return await task

    assert asyncio.run(ask()) == wanted
    assert turns == ["another went on", "answered"]


def test_a_query_engine_shows_a_model_the_text_its_book_and_its_section(retriever: "LlamaIndexRetriever") -> None:
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())  # which says what it was asked
    answer = engine.query(QUESTION)
    assert '"Opponent Armor Class": 6' in str(answer)
    assert "book: lantern-and-blade\nsection: Combat > Attack Matrices" in str(answer)
    assert "score" not in str(answer)
    assert [node.node_id for node in answer.source_nodes] == [each.node_id for each in retriever.retrieve(QUESTION)]
