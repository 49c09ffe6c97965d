from .answer.answerer import Answerer
from .answer.answers import Answer, AnswerEvent, Citation, Passage
from .answer.cells import Cell
from .answer.prompt import format_prompt
from .artifacts.artifacts import BookKey
from .artifacts.mongo_store import MongoStore
from .artifacts.sqlite_store import SqliteStore
from .artifacts.store import ArtifactStore
from .decision import Decision
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
from .handoff.embedding_loader import EmbeddingLoader, MongoEmbeddingLoader
from .index.embedding.embedders import load_embedder
from .index.snapshot.live import promote
from .index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from .index.snapshot.verification import verify_snapshot
from .ingest.tables.table import Table
from .query_must.extraction import extract_query_must
from .query_must.predicate import satisfies_query_must
from .query_must.vocabulary.vocabulary import Vocabulary
from .rag.contract import DocumentChunk, IngestionResult, RAGContext, RetrieveRequest, RuleDocument
from .rag.documents import read_rule_documents
from .rag.pipeline import RAGPipeline
from .search.explanation import Explanation, explain
from .search.foreign.filtering import retrieve_with_iterative_filtering
from .search.receipt.transcript import debug_lines
from .search.retriever import Retriever
from .search.strategies import STRATEGIES
from .strategy import Strategy
from .types import (
    Book,
    Chunk,
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
from .understand.self_query.analyzer import QueryAnalyzer
from .understand.self_query.conditions import FilterTranslator
from .understand.self_query.config import SelfQueryConfig
from .understand.self_query.fallback import FallbackHandler
from .understand.self_query.intent import IntentExtractor
from .understand.self_query.planner import QueryPlanner
from .understand.self_query.retriever import SelfQueryResult, SelfQueryRetriever, Understood
from .understand.traversal import TraversalIndex, retrieve_candidates
from .understand.traversal_config import TraversalConfig

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
