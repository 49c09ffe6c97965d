"""The records of the contract, field by field as its consumers know them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from retrieval.errors import NoDocumentsFoundError

DOC_TYPES = ("core-rules", "faq", "team-rules", "ops", "killzone")
"""What a document may be."""
REQUIRED = ("source", "doc_type", "last_update_date")
"""Metadata that every document has, and every chunk of it."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """A question, and how much of an answer is wanted."""

    query: str
    """1 to 2,000 characters."""
    context_key: str
    """`{channel_id}:{user_id}`: whose conversation it is."""
    max_chunks: int = 5
    min_relevance: float = 0.6
    """0 to 1. It is no cosine: see `DocumentChunk.relevance_score`."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage or a table row that answers a question."""

    chunk_id: UUID
    """Of the content: the same passage has the same id in every index."""
    document_id: UUID
    text: str
    """What a reader or a model is shown: prose, or a row as a JSON object."""
    metadata: Mapping[str, Any]
    """`source`, `doc_type`, `last_update_date`, `section`, and what else the document has."""
    relevance_score: float
    """0 to 1: of the questions for which a library says as much as this chunk does for this one, the share that the
    library answers. It never rises along a ranking. The score that ranks says nothing between two questions."""
    position_in_doc: int
    """Ordinal of the chunk in its document, from 0."""


@dataclass(frozen=True, slots=True)
class RAGContext:
    """What is known about a question. `document_chunks` is empty where nothing in these books answers it."""

    context_id: UUID
    query_id: UUID
    document_chunks: list[DocumentChunk]
    """The best first."""
    relevance_scores: list[float]
    """Of the chunks, in their order."""
    total_chunks: int
    """How many are returned."""
    avg_relevance: float
    """Mean over the chunks; where none is returned, over the best that would have been."""
    meets_threshold: bool
    """Whether a chunk is returned: each of them is at least as relevant as was asked, and so is their mean."""
    reason: str = ""
    """Why there is no chunk; empty where there is one."""

    def required(self) -> "RAGContext":
        """This context, for a caller that would rather be interrupted than look.

        Raises:
            NoDocumentsFoundError: it holds no chunk; the message is the reason.
        """
        if not self.document_chunks:
            raise NoDocumentsFoundError(self.reason)
        return self


@dataclass(frozen=True, slots=True)
class RuleDocument:
    """A document as it comes in. Key: document_id."""

    document_id: UUID
    filename: str
    content: str
    """All of its markdown."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """`source`, `doc_type` and `last_update_date` must be there; any other key may."""


@dataclass(frozen=True, slots=True)
class IngestionResult:
    """What became of a batch of documents."""

    job_id: UUID
    documents_processed: int
    """Those that are in the index now as they were given, whether or not that changed anything."""
    documents_failed: int
    """Those that are in the index as they were before, if they were."""
    embedding_count: int
    """Vectors that were made; a text that was embedded before is not embedded again."""
    errors: list[str]
    """File names of the documents that failed, in the order of the batch."""
    warnings: list[str]
    """Why those failed, and what is strange about others; each begins with the file name."""
    duration_seconds: float
