"""The index as a LlamaIndex retriever. The only file that uses LlamaIndex; it needs the extra `llamaindex`."""

import asyncio
from pathlib import Path
from typing import Any, Self

from retrieval.adapters.retrieved_text import RetrievedText, Search, retrieved_texts
from retrieval.files.versions import install

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ImportError as error:
    raise ImportError(f"LlamaIndex is not installed ({error}); {install('llamaindex')}") from error

SHOWN = ("book", "section")
"""Metadata that a model is shown with the text; by default, LlamaIndex would show all of it."""


class LlamaIndexRetriever(BaseRetriever):
    """A LlamaIndex retriever, for use wherever one is accepted: `retrieve`, `aretrieve`, in a query engine.

    Args:
        search: the index with its search settings.
        options: options of LlamaIndex's base class, such as `callback_manager`.
    """

    def __init__(self, search: Search, **options: Any) -> None:
        super().__init__(**options)
        self.search = search

    @classmethod
    def open(cls, home: Path, **settings: Any) -> Self:
        """Return a retriever for a built home; `settings` are `k`, `strategy` and `where`.

        Raises:
            NothingLiveError: nothing is live there.
        """
        return cls(Search.open(home, **settings))

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        texts = retrieved_texts(self.search, query_bundle.query_str)
        return [NodeWithScore(node=_node(text), score=text.score) for text in texts]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        # LlamaIndex's own method would block the event loop.
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(retrieved: RetrievedText) -> TextNode:
    hidden = [key for key in retrieved.metadata if key not in SHOWN]
    return TextNode(
        id_=retrieved.id,
        text=retrieved.text,
        metadata=dict(retrieved.metadata),
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=retrieved.source)},
    )
