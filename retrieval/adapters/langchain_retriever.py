"""The index as a LangChain retriever. The only file that uses LangChain; it needs the extra `langchain`."""

from pathlib import Path
from typing import Any, Self

from retrieval.adapters.retrieved_text import Search, retrieved_texts
from retrieval.files.versions import install

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise ImportError(f"LangChain is not installed ({error}); {install('langchain')}") from error


class LangChainRetriever(BaseRetriever):
    """A LangChain retriever, for use wherever one is accepted: `invoke`, `batch`, `ainvoke`, in a chain, as a tool."""

    search: Search

    @classmethod
    def open(cls, home: Path, **settings: Any) -> Self:
        """Return a retriever for a built home; `settings` are `k`, `strategy` and `where`.

        Raises:
            NothingLiveError: nothing is live there.
        """
        return cls(search=Search.open(home, **settings))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 -- the signature is LangChain's
    ) -> list[Document]:
        return [
            Document(id=text.id, page_content=text.text, metadata=dict(text.metadata))
            for text in retrieved_texts(self.search, query)
        ]
