"""The records of the artifact tables. Each says the ruleset, book and run that it is of.

A run is a snapshot: its id is a hash of its contents, so that one run's records are the same whoever writes them.
Every `created_at` but that of a traversal config is the time at which that snapshot was written, in whole seconds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

NodeKind = Literal["chunk", "section", "entity", "trait"]
Payload = Mapping[str, str | int | float]


class BookKey(NamedTuple):
    """The books of an artifact store are told apart by this."""

    ruleset_id: str
    """What the book's author says; a book that says nothing is a ruleset of its own, called as the book is."""
    book_id: str
    """Slug of the book."""


@dataclass(frozen=True, slots=True)
class EnrichedChunk:
    """A chunk and what it is about. Key: chunk_id."""

    chunk_id: str
    ruleset_id: str
    book_id: str
    run_id: str
    text: str
    page: int | None
    """None where no line of the book marks pages."""
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
    """What a person calls the chunk."""
    query_must: str | None = None
    """JSON predicate about the question; None always passes."""


@dataclass(frozen=True, slots=True)
class EmbeddingMetadata:
    """What a vector was made of, and when."""

    text_hash: str
    """SHA-256 as hex: what the vector is kept under in the store of embeddings. Another text, another hash."""
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
    """L2-normalised; every number is one that float32 can say."""
    metadata: EmbeddingMetadata


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of the graph, as it is in one book. Key: (ruleset_id, book_id, node_id)."""

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
    """An edge of the graph, of the book of its source. Key: (source_id, target_id, relation)."""

    source_id: str
    target_id: str
    relation: str
    ruleset_id: str
    book_id: str
    run_id: str
    created_at: datetime
    metadata: Payload = field(default_factory=dict)
    """`similar` has its `cosine`, `contains` of a chunk its `position` in the document; others have nothing to say."""


@dataclass(frozen=True, slots=True)
class TraversalPolicy:
    """How far a walk through the graph goes."""

    relations: tuple[str, ...]
    depth: int
    candidates: int


@dataclass(frozen=True, slots=True)
class StoredTraversalConfig:
    """Names and policies of a ruleset. Key: (ruleset_id, version)."""

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
    """When the store first got a config of this key; it keeps that."""
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class TraversalIndexEntry:
    """What was written of one book: not the index, but what it is made of. Key: (ruleset_id, book_id, run_id)."""

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
    """False while the book is being written: then its tables hold a part of it."""

    @property
    def book(self) -> BookKey:
        """Whose entry it is."""
        return BookKey(self.ruleset_id, self.book_id)


@dataclass(frozen=True, slots=True)
class BookArtifacts:
    """All records of one book, in any order. An iterable may be read once."""

    entry: TraversalIndexEntry
    chunks: Iterable[EnrichedChunk]
    embeddings: Iterable[ChunkEmbedding]
    nodes: Iterable[GraphNode]
    edges: Iterable[GraphEdge]
