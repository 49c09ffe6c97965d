"""LangChain: markdown cut at headings and to a size, BM25 and vectors in an ensemble."""

import re
from collections.abc import Sequence
from pathlib import Path

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from retrieval.types import Embedder
from tools.benchmark.system import Passage, markdown_files

_HEADINGS = [("#" * level, f"Header {level}") for level in range(1, 7)]
_CHARACTERS, _OVERLAP = 1_000, 200


class _Vectors(Embeddings):
    """The embedder of the benchmark in LangChain's terms."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed_query(text).tolist()
        return vector


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class LangChain:
    """Both retrievers of the documentation with equal weights."""

    name = "langchain"
    about = "[LangChain](https://docs.langchain.com): its splitters, its BM25 and vectors, fused by rank."
    setup = (
        "`MarkdownHeaderTextSplitter(strip_headers=False)`, then `RecursiveCharacterTextSplitter` with the sizes of "
        f"its tutorial ({_CHARACTERS:,} characters, {_OVERLAP} of overlap). `EnsembleRetriever` with equal weights "
        "over `BM25Retriever` and `InMemoryVectorStore`. BM25 gets words in lower case (`preprocess_func`), because by "
        "default it splits at blanks only."
    )
    packages = ("langchain-classic", "langchain-community", "langchain-core", "langchain-text-splitters", "rank-bm25")

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:
        """Cut, embed and dump."""
        by_heading = MarkdownHeaderTextSplitter(_HEADINGS, strip_headers=False)
        to_size = RecursiveCharacterTextSplitter(chunk_size=_CHARACTERS, chunk_overlap=_OVERLAP)
        sections: list[Document] = [part for _, text in markdown_files(book) for part in by_heading.split_text(text)]
        chunks = to_size.split_documents(sections)
        self._store = InMemoryVectorStore(_Vectors(embedder))
        self._store.add_documents(chunks)
        self._store.dump(str(folder / "vectors.json"))
        self._bm25 = BM25Retriever.from_documents(chunks, preprocess_func=_words)

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The k best of both together."""
        self._bm25.k = k
        vectors = self._store.as_retriever(search_kwargs={"k": k})
        ensemble = EnsembleRetriever(retrievers=[self._bm25, vectors], weights=[0.5, 0.5])
        return [Passage(document.page_content) for document in ensemble.invoke(question)[:k]]
