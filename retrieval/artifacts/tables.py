"""The artifact tables by name, with their unique keys and indexes: one list for every store."""

from dataclasses import dataclass
from typing import Literal

from retrieval.artifacts.artifacts import (
    ChunkEmbedding,
    EnrichedChunk,
    GraphEdge,
    GraphNode,
    StoredTraversalConfig,
    TraversalIndexEntry,
)

Order = Literal[1, -1]
"""Rising or falling."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index over some fields. Key: its fields."""

    fields: tuple[tuple[str, Order], ...]
    unique: bool = False

    @property
    def name(self) -> str:
        """As MongoDB would call it: `ruleset_id_1_version_-1`."""
        return "_".join(f"{field}_{order}" for field, order in self.fields)


@dataclass(frozen=True, slots=True)
class Table:
    """A table and its indexes. Key: name."""

    name: str
    record: type
    indexes: tuple[Index, ...]


def _index(*fields: str, unique: bool = False) -> Index:
    return Index(tuple((field, 1) for field in fields), unique)


CHUNKS = Table("enriched_chunks", EnrichedChunk, (_index("chunk_id", unique=True), _index("ruleset_id", "book_id")))
EMBEDDINGS = Table(
    "chunk_embeddings",
    ChunkEmbedding,
    (_index("ruleset_id", "book_id", "model_id"), _index("chunk_id", "model_id", unique=True)),
)
NODES = Table("graph_nodes", GraphNode, (_index("ruleset_id", "book_id", "node_id", unique=True),))
EDGES = Table("graph_edges", GraphEdge, (_index("ruleset_id", "book_id"), _index("source_id"), _index("target_id")))
CONFIGS = Table("traversal_configs", StoredTraversalConfig, (Index((("ruleset_id", 1), ("version", -1)), unique=True),))
ENTRIES = Table("traversal_indexes", TraversalIndexEntry, (_index("ruleset_id", "book_id", "run_id", unique=True),))
TABLES = (CHUNKS, EMBEDDINGS, NODES, EDGES, CONFIGS, ENTRIES)
OF_A_BOOK = (CHUNKS, EMBEDDINGS, NODES, EDGES)
"""Tables whose records are written and removed with a book."""
