"""Projection of a snapshot to artifacts, book by book, and their writing to a store.

The same snapshot gives the same records, which are written to a store or to files.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from retrieval.artifacts.artifacts import (
    BookArtifacts,
    BookKey,
    ChunkEmbedding,
    EmbeddingMetadata,
    EnrichedChunk,
    GraphEdge,
    GraphNode,
    Payload,
    StoredTraversalConfig,
    TraversalIndexEntry,
)
from retrieval.artifacts.store import ArtifactStore
from retrieval.errors import UnknownNameError
from retrieval.index.embedding.embedding_store import embedding_key, text_key
from retrieval.index.graph import SEPARATOR, Nodes
from retrieval.index.snapshot.manifest import MANIFEST_FILE
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.ingest.enrichment import RULESET
from retrieval.strategy import Relation
from retrieval.types import MetadataValue
from retrieval.understand.traversal import TraversalConfig

_COSINE_DIGITS = 4
"""Digits of a stored cosine, whose last bits depend on the processor."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of books; None: all."""

    ruleset: str | None = None
    book: str | None = None

    def of(self, books: tuple[BookKey, ...]) -> tuple[BookKey, ...]:
        """Return the chosen ones of `books`.

        Raises:
            UnknownNameError: no book has that ruleset or that name, or the book has another ruleset.
        """
        rulesets = {book.ruleset_id for book in books}
        if self.ruleset is not None and self.ruleset not in rulesets:
            raise UnknownNameError("ruleset", self.ruleset, rulesets)
        of_ruleset = tuple(book for book in books if self.ruleset in {None, book.ruleset_id})
        if self.book is None:
            return of_ruleset
        if self.book not in {book.book_id for book in of_ruleset}:
            kind = "book" if self.ruleset is None else f"book of ruleset {self.ruleset!r}"
            raise UnknownNameError(kind, self.book, {book.book_id for book in of_ruleset})
        return tuple(book for book in of_ruleset if book.book_id == self.book)


@dataclass(frozen=True, slots=True)
class _Places:
    """The positions of each book's nodes."""

    chunks: Mapping[BookKey, list[int]]
    """Positions, ascending."""
    sections: Mapping[BookKey, list[int]]
    """Nodes, ascending."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> "_Places":
        chunks: dict[BookKey, list[int]] = defaultdict(list)
        sections: dict[BookKey, list[int]] = defaultdict(list)
        keys: dict[tuple[str, str], BookKey] = {}
        for position, chunk in enumerate(snapshot.chunks):
            # A ruleset is given for a book or a document, so all chunks of a document have the same one.
            key = BookKey(str(chunk.metadata.get(RULESET) or chunk.book), chunk.book)
            chunks[keys.setdefault((chunk.book, chunk.document), key)].append(position)
        for node in range(snapshot.graph.n_chunks, snapshot.graph.n_nodes):
            if snapshot.graph.kind_of(node) == "section":
                book, document, *_ = snapshot.graph.name_of(node).split(SEPARATOR)
                sections[keys[book, document]].append(node)
        return cls(chunks, sections)

    def nodes(self, key: BookKey) -> Nodes:
        """Return a book's chunks and sections, the sources of all edges."""
        return np.asarray([*self.chunks[key], *self.sections.get(key, ())], dtype=np.int64)


class Projection:
    """The artifacts of one snapshot.

    Args:
        snapshot: must remain open while this is used.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot, self._places = snapshot, _Places.of(snapshot)
        self.run_id = snapshot.id
        written = (snapshot.folder / MANIFEST_FILE).stat().st_mtime
        self.created_at = datetime.fromtimestamp(int(written), UTC)
        """When the snapshot was written on this machine."""

    @property
    def books(self) -> tuple[BookKey, ...]:
        """The books of the snapshot, sorted."""
        return tuple(sorted(self._places.chunks))

    def book(self, key: BookKey) -> BookArtifacts:
        """Return all records of one book, generated lazily."""
        embedder, graph = self._snapshot.manifest.embedder, self._snapshot.graph
        own = self._places.nodes(key)
        nodes = (*own.tolist(), *sorted({at for _, at, relation in graph.edges_from(own) if relation in _TO_NAMES}))
        entry = TraversalIndexEntry(
            *key,
            run_id=self.run_id,
            n_chunks=len(self._places.chunks[key]),
            n_nodes=len(nodes),
            n_edges=graph.count_from(own),
            model_id=embedder.name,
            model_version=embedder.version,
            dimensions=embedder.dimensions,
            created_at=self.created_at,
        )
        return BookArtifacts(entry, self._chunks(key), self._embeddings(key), self._nodes(key, nodes), self._edges(key))

    def config(self, ruleset_id: str) -> StoredTraversalConfig:
        """Return a ruleset's config `v1`, derived from the names in its books."""
        of_ruleset = (key for key in self.books if key.ruleset_id == ruleset_id)
        chunks = (self._snapshot.chunks[at] for key in of_ruleset for at in self._places.chunks[key])
        return TraversalConfig.of(chunks, ruleset_id).stored(self.created_at)

    def _chunks(self, key: BookKey) -> Iterator[EnrichedChunk]:
        for position in self._places.chunks[key]:
            chunk = self._snapshot.chunks[position]
            about = chunk.metadata
            page = about.get("page")
            yield EnrichedChunk(
                chunk.id,
                *key,
                run_id=self.run_id,
                text=chunk.text,
                page=page if isinstance(page, int) else None,
                content_kind=str(about.get("content_kind", "")),
                tags=_listed(about.get("tags")),
                traits=_listed(about.get("traits")),
                section_path=_listed(about.get("section_path")),
                is_rule_bearing=bool(about.get("is_rule_bearing")),
                created_at=self.created_at,
                document=chunk.document,
                title=chunk.title,
                query_must=chunk.query_must,
            )

    def _embeddings(self, key: BookKey) -> Iterator[ChunkEmbedding]:
        model = self._snapshot.manifest.embedder.name
        for position in self._places.chunks[key]:
            chunk = self._snapshot.chunks[position]
            made_of = EmbeddingMetadata(text_key(embedding_key(chunk)).hex(), self.created_at)
            vector = tuple(self._snapshot.vectors[position].tolist())
            yield ChunkEmbedding(chunk.id, *key, self.run_id, model, vector, made_of)

    def _nodes(self, key: BookKey, nodes: Sequence[int]) -> Iterator[GraphNode]:
        graph, of_run = self._snapshot.graph, (*key, self.run_id, self.created_at)
        for node in nodes:
            if node < graph.n_chunks:
                yield GraphNode(self._id(node), "chunk", self._snapshot.chunks[node].title, *of_run)
            else:
                name = graph.name_of(node).replace(SEPARATOR, " > ")
                yield GraphNode(graph.label_of(node), graph.kind_of(node), name, *of_run)

    def _edges(self, key: BookKey) -> Iterator[GraphEdge]:
        for source, target, relation in self._snapshot.graph.edges_from(self._places.nodes(key)):
            ends = self._id(source), self._id(target)
            payload = self._payload(source, target, relation)
            yield GraphEdge(*ends, relation, *key, self.run_id, self.created_at, payload)

    def _id(self, node: int) -> str:
        graph = self._snapshot.graph
        return self._snapshot.chunks.id_at(node) if node < graph.n_chunks else graph.label_of(node)

    def _payload(self, source: int, target: int, relation: Relation) -> Payload:
        if relation == "similar":
            cosine = float(self._snapshot.vectors[source] @ self._snapshot.vectors[target])
            return {"cosine": round(cosine, _COSINE_DIGITS)}
        if relation == "contains" and target < self._snapshot.graph.n_chunks:
            return {"position": self._snapshot.chunks[target].position}
        return {}


_TO_NAMES = frozenset({"describes", "has_trait"})
"""Relations to names and traits, which are nodes of every book with an edge to them."""


def _listed(value: MetadataValue | None) -> tuple[str, ...]:
    """Return a value as a tuple, since an author may write one tag without a list."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (str(value),)


Progress = Callable[[str, int, int], None]
"""Called with the book that is being written, the number of books done, and their total."""


@dataclass(frozen=True, slots=True)
class ExportCounts:
    """The written books, and those removed because the snapshot no longer has them."""

    run_id: str
    entries: tuple[TraversalIndexEntry, ...]
    removed: tuple[BookKey, ...]
    rulesets: tuple[str, ...]
    """Rulesets whose config was written."""


def write_artifacts(
    projection: Projection, store: ArtifactStore, choice: Choice, tell: Progress = lambda *_: None
) -> ExportCounts:
    """Write the chosen books and the configs of their rulesets; remove books that the snapshot does not have.

    Raises:
        UnknownNameError: there is no such book or ruleset; nothing was written.
        VectorDBWriteError: a book was written incompletely, which its entry shows to readers.
    """
    chosen = choice.of(projection.books)
    gone = tuple(sorted({entry.book for entry in store.entries()} - set(projection.books)))
    for book in gone:
        store.remove_book(book)
    entries = []
    for done, book in enumerate(chosen):
        tell(book.book_id, done, len(chosen))
        artifacts = projection.book(book)
        store.replace_book(artifacts)
        entries.append(artifacts.entry)
    rulesets = tuple(sorted({book.ruleset_id for book in chosen}))
    for ruleset in rulesets:
        store.save_config(projection.config(ruleset))
    return ExportCounts(projection.run_id, tuple(entries), gone, rulesets)
