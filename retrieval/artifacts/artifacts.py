"""The records of the artifact tables, their keys and indexes, and their documents.

A run is a snapshot, whose id is a hash of its contents, so the records of a run do not depend on who writes them.
Every `created_at`, except that of a traversal config, is the time when the snapshot was written, in whole seconds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import ValidationError

from retrieval.errors import IndexCorruptError
from retrieval.files.records import adapter_of

NodeKind = Literal["chunk", "section", "entity", "trait"]
Payload = Mapping[str, str | int | float]


class BookKey(NamedTuple):
    """The key of a book in an artifact store."""

    ruleset_id: str
    """The ruleset in the book's metadata; a book without one is its own ruleset, with the book's name."""
    book_id: str
    """Slug of the book."""


@dataclass(frozen=True, slots=True)
class EnrichedChunk:
    """A chunk and its description. Key: chunk_id."""

    chunk_id: str
    ruleset_id: str
    book_id: str
    run_id: str
    text: str
    page: int | None
    """None if no line of the book marks pages."""
    content_kind: str
    tags: tuple[str, ...]
    traits: tuple[str, ...]
    section_path: tuple[str, ...]
    """Headings from the top."""
    is_rule_bearing: bool
    created_at: datetime
    document: str
    """Path of the document in its book."""
    title: str
    """The chunk's title for people."""
    query_must: str | None = None
    """JSON predicate about the question; None always passes."""


@dataclass(frozen=True, slots=True)
class EmbeddingMetadata:
    """The text hash and date of a vector."""

    text_hash: str
    """SHA-256 as hex, the key of the vector in the store of embeddings, which changes with the text."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ChunkEmbedding:
    """The vector of a chunk by one model. Key: (chunk_id, model_id)."""

    chunk_id: str
    ruleset_id: str
    book_id: str
    run_id: str
    model_id: str
    embedding: tuple[float, ...]
    """L2-normalised; every number is exactly representable as float32."""
    metadata: EmbeddingMetadata


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of the graph in one book. Key: (ruleset_id, book_id, node_id)."""

    node_id: str
    """A chunk's id, or `kind:name`."""
    kind: NodeKind
    name: str
    ruleset_id: str
    book_id: str
    run_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge of the graph, which belongs to the book of its source. Key: (source_id, target_id, relation)."""

    source_id: str
    target_id: str
    relation: str
    ruleset_id: str
    book_id: str
    run_id: str
    created_at: datetime
    metadata: Payload = field(default_factory=dict)
    """`cosine` for `similar`, `position` in the document for `contains` of a chunk; empty for other relations."""


@dataclass(frozen=True, slots=True)
class TraversalPolicy:
    """The limits of a traversal of the graph."""

    relations: tuple[str, ...]
    depth: int
    candidates: int


@dataclass(frozen=True, slots=True)
class StoredTraversalConfig:
    """The names and policies of a ruleset. Key: (ruleset_id, version)."""

    ruleset_id: str
    version: str
    condition_names: tuple[str, ...]
    spell_names: tuple[str, ...]
    feat_names: tuple[str, ...]
    item_names: tuple[str, ...]
    action_names: tuple[str, ...]
    player_keywords: tuple[str, ...]
    gm_keywords: tuple[str, ...]
    intent_patterns: Mapping[str, tuple[str, ...]]
    """Regular expressions by intent, the first intent first."""
    policies: Mapping[str, TraversalPolicy]
    created_at: datetime
    """When the store first got a config with this key."""
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class TraversalIndexEntry:
    """Counts of the records of one book, and their model. Key: (ruleset_id, book_id, run_id)."""

    ruleset_id: str
    book_id: str
    run_id: str
    n_chunks: int
    n_nodes: int
    n_edges: int
    model_id: str
    model_version: str
    dimensions: int
    created_at: datetime
    complete: bool = True
    """False while the book is being written and its tables are incomplete."""

    @property
    def book(self) -> BookKey:
        """Key of the entry's book."""
        return BookKey(self.ruleset_id, self.book_id)


@dataclass(frozen=True, slots=True)
class BookArtifacts:
    """All records of one book, in any order. Each iterable may be read only once."""

    entry: TraversalIndexEntry
    chunks: Iterable[EnrichedChunk]
    embeddings: Iterable[ChunkEmbedding]
    nodes: Iterable[GraphNode]
    edges: Iterable[GraphEdge]


Record = TypeVar("Record")
Document = dict[str, Any]


def document_of(record: object, mode: Literal["python", "json"] = "python") -> Document:
    """Return the fields of a record by name, including nested ones. With `json`, times are text."""
    document: Document = adapter_of(type(record)).dump_python(record, mode=mode)
    return document


def record_of(document: Mapping[str, Any], record: type[Record], where: str) -> Record:
    """Return the record of a document, ignoring unknown fields.

    Args:
        document: as returned by a store.
        where: the name of its place in errors.

    Raises:
        IndexCorruptError: it is not such a record.
    """
    try:
        return adapter_of(record).validate_python(document)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise IndexCorruptError(
            f"{where} is not a valid {record.__name__} ({field}: {first['msg']}); write it again: querymust export"
        ) from error


Order = Literal[1, -1]
"""Ascending or descending."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index over some fields. Key: its fields."""

    fields: tuple[tuple[str, Order], ...]
    unique: bool = False

    @property
    def name(self) -> str:
        """MongoDB's name for it: `ruleset_id_1_version_-1`."""
        return "_".join(f"{field}_{order}" for field, order in self.fields)


@dataclass(frozen=True, slots=True)
class Table(Generic[Record]):
    """A table and its indexes. Key: name."""

    name: str
    record: type[Record]
    key: tuple[str, ...]
    """Fields by which records are sorted."""
    indexes: tuple[Index, ...]


def _index(*fields: str, unique: bool = False) -> Index:
    return Index(tuple((field, 1) for field in fields), unique)


CHUNKS = Table(
    "enriched_chunks",
    EnrichedChunk,
    ("chunk_id",),
    (_index("chunk_id", unique=True), _index("ruleset_id", "book_id")),
)
EMBEDDINGS = Table(
    "chunk_embeddings",
    ChunkEmbedding,
    ("chunk_id",),
    (_index("ruleset_id", "book_id", "model_id"), _index("chunk_id", "model_id", unique=True)),
)
NODES = Table("graph_nodes", GraphNode, ("node_id",), (_index("ruleset_id", "book_id", "node_id", unique=True),))
EDGES = Table(
    "graph_edges",
    GraphEdge,
    ("source_id", "target_id", "relation"),
    (_index("ruleset_id", "book_id"), _index("source_id"), _index("target_id")),
)
CONFIGS = Table(
    "traversal_configs",
    StoredTraversalConfig,
    ("version",),
    (Index((("ruleset_id", 1), ("version", -1)), unique=True),),
)
_ENTRY_KEY = ("ruleset_id", "book_id", "run_id")
ENTRIES = Table("traversal_indexes", TraversalIndexEntry, _ENTRY_KEY, (_index(*_ENTRY_KEY, unique=True),))
TABLES: tuple[Table[Any], ...] = (CHUNKS, EMBEDDINGS, NODES, EDGES, CONFIGS, ENTRIES)
OF_A_BOOK: tuple[Table[Any], ...] = (CHUNKS, EMBEDDINGS, NODES, EDGES)
"""The tables whose records are written and removed with a book."""
