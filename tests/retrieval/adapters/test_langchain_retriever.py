import asyncio
from typing import TYPE_CHECKING

import pytest

from retrieval.home import Home

if TYPE_CHECKING:
    from retrieval.adapters.langchain_retriever import LangChainRetriever

QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def retriever(sample: Home) -> "LangChainRetriever":
    pytest.importorskip("langchain_core", reason="needs the extra [langchain]")
    from retrieval.adapters.langchain_retriever import LangChainRetriever

    return LangChainRetriever.open(sample.root, k=5)


def test_it_answers_with_documents(retriever: "LangChainRetriever") -> None:
    from langchain_core.documents import Document

    hits = retriever.search.live.reader().retriever.retrieve(QUESTION, k=5).hits
    result = retriever.invoke(QUESTION)
    assert all(isinstance(each, Document) for each in result)
    assert [(each.id, each.page_content) for each in result] == [(hit.chunk.id, hit.chunk.text) for hit in hits]
    assert result[0].metadata["score"] == hits[0].score
    assert result[0].metadata["reason"] == "satisfies query_must"


def test_batches_and_coroutines_get_the_same(retriever: "LangChainRetriever") -> None:
    one = retriever.invoke(QUESTION)
    assert asyncio.run(retriever.ainvoke(QUESTION)) == one
    assert retriever.batch([QUESTION, "How heavy is chain mail?", QUESTION])[::2] == [one, one]


def test_it_is_a_link_of_a_chain_and_a_tool(retriever: "LangChainRetriever") -> None:
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.tools import create_retriever_tool

    prompt = ChatPromptTemplate.from_template("Answer from this alone:\n{context}\n\n{question}")
    chain = {"context": retriever | (lambda result: result[0].page_content), "question": lambda query: query} | prompt
    assert '"Opponent Armor Class": 6' in chain.invoke(QUESTION).to_string()
    tool = create_retriever_tool(retriever, "rules", "Looks a rule up.")
    assert tool.invoke({"query": QUESTION}) == "\n\n".join(each.page_content for each in retriever.invoke(QUESTION))
