from .artifacts.artifacts import BookKey
from .artifacts.mongo_store import MongoStore
from .artifacts.sqlite_store import SqliteStore
from .artifacts.store import ArtifactStore
from .errors import (
    AmbiguousNameError,
    BadPredicateError,
    BudgetExceededError,
    EmbedderMismatchError,
    EmbedderUnavailableError,
    EmbeddingFailureError,
    FallbackActivatedError,
    FilterTranslationError,
    GenerationError,
    IndexCorruptError,
    IndexMissingError,
    InvalidDocumentError,
    InvalidFilterError,
    InvalidQueryError,
    LibraryError,
    ListeningError,
    ModelError,
    ModelKeyError,
    NoDocumentsFoundError,
    NothingLiveError,
    NotMaterializedError,
    QueryAnalysisError,
    RetrievalError,
    RetrievalTimeoutError,
    StoreUnavailableError,
    TransferError,
    UnknownNameError,
    UnreadableSettingsError,
    VectorDBUnavailableError,
    VectorDBWriteError,
)
from .export.loading import EmbeddingLoader, MongoEmbeddingLoader
from .index.embedding.embedders import load_embedder
from .index.snapshot.live import promote
from .index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from .index.snapshot.verification import verify_snapshot
from .ingest.tables.table import Table
from .language.vocabulary import Vocabulary
from .query_must.predicate import extract_query_must, satisfies_query_must
from .rag.answerer import Answerer
from .rag.cells import Cell
from .rag.chat_model import format_prompt
from .rag.context import Answer, AnswerEvent, Citation, Passage
from .rag.contract import DocumentChunk, IngestionResult, RAGContext, RetrieveRequest, RuleDocument, read_rule_documents
from .rag.pipeline import RAGPipeline
from .search.explanation import Explanation, explain
from .search.foreign import retrieve_with_iterative_filtering
from .search.receipt import debug_lines
from .search.retriever import Retriever
from .search.strategies import STRATEGIES
from .strategy import Strategy
from .types import (
    Book,
    Chunk,
    Decision,
    Document,
    Embedder,
    EmbedderIdentity,
    Hit,
    Receipt,
    Retrieval,
    Row,
    Stage,
)
from .understand.analysis import Entity, FilterOperator, QueryAnalysis, QueryIntent, TemporalRef
from .understand.self_query.analyzer import IntentExtractor, QueryAnalyzer
from .understand.self_query.conditions import FilterTranslator, SelfQueryConfig
from .understand.self_query.filters import FallbackHandler
from .understand.self_query.retriever import QueryPlanner, SelfQueryResult, SelfQueryRetriever, Understood
from .understand.traversal import TraversalConfig, TraversalIndex, retrieve_candidates

__all__ = [
    "STRATEGIES",
    "AmbiguousNameError",
    "Answer",
    "AnswerEvent",
    "Answerer",
    "ArtifactStore",
    "BadPredicateError",
    "Book",
    "BookKey",
    "BudgetExceededError",
    "Cell",
    "Chunk",
    "Citation",
    "Decision",
    "Document",
    "DocumentChunk",
    "Embedder",
    "EmbedderIdentity",
    "EmbedderMismatchError",
    "EmbedderUnavailableError",
    "EmbeddingFailureError",
    "EmbeddingLoader",
    "Entity",
    "Explanation",
    "FallbackActivatedError",
    "FallbackHandler",
    "FilterOperator",
    "FilterTranslationError",
    "FilterTranslator",
    "GenerationError",
    "Hit",
    "IndexCorruptError",
    "IndexMissingError",
    "IngestionResult",
    "IntentExtractor",
    "InvalidDocumentError",
    "InvalidFilterError",
    "InvalidQueryError",
    "LibraryError",
    "ListeningError",
    "ModelError",
    "ModelKeyError",
    "MongoEmbeddingLoader",
    "MongoStore",
    "NoDocumentsFoundError",
    "NotMaterializedError",
    "NothingLiveError",
    "Passage",
    "QueryAnalysis",
    "QueryAnalysisError",
    "QueryAnalyzer",
    "QueryIntent",
    "QueryPlanner",
    "RAGContext",
    "RAGPipeline",
    "Receipt",
    "Retrieval",
    "RetrievalError",
    "RetrievalTimeoutError",
    "RetrieveRequest",
    "Retriever",
    "Row",
    "RuleDocument",
    "SelfQueryConfig",
    "SelfQueryResult",
    "SelfQueryRetriever",
    "Snapshot",
    "SqliteStore",
    "Stage",
    "StoreUnavailableError",
    "Strategy",
    "Table",
    "TemporalRef",
    "TransferError",
    "TraversalConfig",
    "TraversalIndex",
    "Understood",
    "UnknownNameError",
    "UnreadableSettingsError",
    "VectorDBUnavailableError",
    "VectorDBWriteError",
    "Vocabulary",
    "build_snapshot",
    "debug_lines",
    "explain",
    "extract_query_must",
    "format_prompt",
    "load_embedder",
    "open_snapshot",
    "promote",
    "read_rule_documents",
    "retrieve_candidates",
    "retrieve_with_iterative_filtering",
    "satisfies_query_must",
    "verify_snapshot",
]
