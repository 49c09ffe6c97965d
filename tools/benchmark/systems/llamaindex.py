"""LlamaIndex: markdown cut at headings and to a size, BM25 and vectors fused by rank, without a language model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import Stemmer
from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeWithScore, QueryBundle

from retrieval.types import Embedder
from tools.benchmark.system import Passage, markdown_files


class _Vectors(MockEmbedding):
    """The embedder of the benchmark in LlamaIndex's terms."""

    embedder: Any

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self.embedder.embed(texts).tolist()
        return vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self.embedder.embed_query(query).tolist()
        return vector


class _Bm25(BaseRetriever):
    """What `llama-index-retrievers-bm25` does with its defaults: bm25s, English stop words, Snowball stems."""

    def __init__(self, nodes: Sequence[BaseNode], k: int) -> None:
        self._nodes, self._k, self._stemmer = nodes, min(k, len(nodes)), Stemmer.Stemmer("english")
        texts = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
        self._bm25 = bm25s.BM25()
        self._bm25.index(self._tokens(texts), show_progress=False)
        super().__init__()

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        positions, scores = self._bm25.retrieve(self._tokens([query_bundle.query_str]), k=self._k, show_progress=False)
        return [
            NodeWithScore(node=self._nodes[int(position)], score=float(score))
            for position, score in zip(positions[0], scores[0], strict=True)
        ]


_K = 50


class LlamaIndex:
    """`QueryFusionRetriever` over both retrievers."""

    name = "llamaindex"
    about = "[LlamaIndex](https://developers.llamaindex.ai): its parsers, BM25 and vectors, fused by rank."
    setup = (
        "`MarkdownNodeParser`, then `SentenceSplitter` with its defaults (1,024 tokens, 200 of overlap). "
        "`MarkdownElementNodeParser`, which separates tables, asks a language model about each table, so it does not "
        "run offline. `QueryFusionRetriever(num_queries=1, mode='reciprocal_rerank')` over `VectorStoreIndex` and "
        "BM25. `llama-index-retrievers-bm25` requires an older PyStemmer than querymust, so a retriever of 20 lines "
        "does the same with bm25s."
    )
    packages = ("llama-index-core", "bm25s", "PyStemmer")

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:
        """Parse, embed and persist."""
        documents = [Document(text=text, metadata={"file_name": path}) for path, text in markdown_files(book)]
        pipeline = IngestionPipeline(transformations=[MarkdownNodeParser(), SentenceSplitter()])
        nodes = list(pipeline.run(documents=documents))
        model: BaseEmbedding = _Vectors(embed_dim=embedder.identity.dimensions, embedder=embedder)
        storage = StorageContext.from_defaults()
        vectors = VectorStoreIndex(nodes, embed_model=model, storage_context=storage)
        storage.persist(str(folder))
        self._fusion = QueryFusionRetriever(
            [vectors.as_retriever(similarity_top_k=_K), _Bm25(nodes, _K)],
            llm=MockLLM(),
            mode=FUSION_MODES.RECIPROCAL_RANK,
            similarity_top_k=_K,
            num_queries=1,
            use_async=False,
        )

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The k best of both together."""
        return [Passage(result.node.get_content()) for result in self._fusion.retrieve(question)[:k]]
