"""Haystack: markdown cut at headings and to a size, BM25 and vectors joined by rank."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import MarkdownHeaderSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from retrieval.types import Embedder
from tools.benchmark.system import Passage, markdown_files

_WORDS = 200


class Haystack:
    """The components of its hybrid pipeline, called one after the other."""

    name = "haystack"
    about = "[Haystack](https://haystack.deepset.ai): its splitter, BM25 and vectors, joined by rank."
    setup = (
        f"`MarkdownHeaderSplitter(secondary_split='word', split_length={_WORDS})`, its default length. "
        "`InMemoryBM25Retriever` and `InMemoryEmbeddingRetriever` over one `InMemoryDocumentStore`, joined by "
        "`DocumentJoiner(join_mode='reciprocal_rank_fusion')`."
    )
    packages = ("haystack-ai",)

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:
        """Split, embed, write and save."""
        splitter = MarkdownHeaderSplitter(secondary_split="word", split_length=_WORDS)
        documents = [Document(content=text, meta={"file": path}) for path, text in markdown_files(book)]
        chunks: list[Document] = splitter.run(documents=documents)["documents"]
        vectors = embedder.embed([chunk.content or "" for chunk in chunks]).tolist()
        store = InMemoryDocumentStore(embedding_similarity_function="cosine", shared=False)
        store.write_documents([replace(chunk, embedding=vector) for chunk, vector in zip(chunks, vectors, strict=True)])
        store.save_to_disk(str(folder / "store.json"))
        self._embedder = embedder
        self._bm25 = InMemoryBM25Retriever(store)
        self._vectors = InMemoryEmbeddingRetriever(store)
        self._joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion")

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The k best of both together."""
        lexical = self._bm25.run(query=question, top_k=k)["documents"]
        vector: list[float] = self._embedder.embed_query(question).tolist()
        dense = self._vectors.run(query_embedding=vector, top_k=k)["documents"]
        joined = self._joiner.run(documents=[lexical, dense], top_k=k)["documents"]
        return [Passage(document.content or "") for document in joined]
