from .artifacts.sqlite_store import SqliteStore
from .errors import RetrievalError
from .export.loading import EmbeddingLoader
from .index.embedding.embedders import load_embedder
from .index.snapshot.live import promote
from .index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from .language.vocabulary import Vocabulary
from .query_must.predicate import extract_query_must, satisfies_query_must
from .rag.answerer import Answerer
from .rag.contract import (
    DocumentChunk,
    IngestionResult,
    RAGContext,
    RetrieveRequest,
    RuleDocument,
    read_rule_documents,
)
from .rag.passages import Answer, Citation, Passage
from .rag.pipeline import RAGPipeline
from .search.explanation import Explanation, explain
from .search.foreign import retrieve_with_iterative_filtering
from .search.receipt import debug_lines
from .search.retriever import Retriever
from .search.strategies import STRATEGIES
from .strategy import Strategy
from .types import Chunk, Hit, Receipt, Retrieval
from .understand.self_query.retriever import SelfQueryResult, SelfQueryRetriever
from .understand.traversal import TraversalConfig

__all__ = [
    "STRATEGIES",
    "Answer",
    "Answerer",
    "Chunk",
    "Citation",
    "DocumentChunk",
    "EmbeddingLoader",
    "Explanation",
    "Hit",
    "IngestionResult",
    "Passage",
    "RAGContext",
    "RAGPipeline",
    "Receipt",
    "Retrieval",
    "RetrievalError",
    "RetrieveRequest",
    "Retriever",
    "RuleDocument",
    "SelfQueryResult",
    "SelfQueryRetriever",
    "Snapshot",
    "SqliteStore",
    "Strategy",
    "TraversalConfig",
    "Vocabulary",
    "build_snapshot",
    "debug_lines",
    "explain",
    "extract_query_must",
    "load_embedder",
    "open_snapshot",
    "promote",
    "read_rule_documents",
    "retrieve_with_iterative_filtering",
    "satisfies_query_must",
]
