"""Retrieval over reference books whose table rows are near-twins: every row knows which questions it is for.

::

    from pathlib import Path
    from retrieval import Retriever

    found = Retriever.open(Path(".querymust")).retrieve("What does a 7th level cleric need to hit AC 6?")
    for hit in found.hits:
        print(hit.rank, hit.chunk.title)

A name is imported when it is first used: a command that only shows its help stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.errors import (
        BadPredicateError,
        EmbedderMismatchError,
        EmbedderUnavailableError,
        IndexCorruptError,
        IndexMissingError,
        InvalidDocumentError,
        InvalidQueryError,
        LibraryError,
        RetrievalError,
        UnknownNameError,
        UnreadableSettingsError,
    )
    from retrieval.index.embedding.embedders import load_embedder
    from retrieval.index.snapshot.live import promote
    from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
    from retrieval.index.snapshot.verification import verify_snapshot
    from retrieval.query_must.extraction import extract_query_must
    from retrieval.query_must.predicate import satisfies_query_must
    from retrieval.query_must.vocabulary.vocabulary import Vocabulary
    from retrieval.search.dense.iterative import retrieve_with_iterative_filtering
    from retrieval.search.receipt.explanation import Explanation, explain
    from retrieval.search.receipt.transcript import debug_lines
    from retrieval.search.retriever import Retriever
    from retrieval.search.strategies import STRATEGIES
    from retrieval.strategy import Strategy
    from retrieval.types import (
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
        Table,
    )
    from retrieval.understand.traversal import TraversalIndex, retrieve_candidates
    from retrieval.understand.traversal_config import TraversalConfig

__all__ = [
    "STRATEGIES",
    "BadPredicateError",
    "Book",
    "Chunk",
    "Decision",
    "Document",
    "Embedder",
    "EmbedderIdentity",
    "EmbedderMismatchError",
    "EmbedderUnavailableError",
    "Explanation",
    "Hit",
    "IndexCorruptError",
    "IndexMissingError",
    "InvalidDocumentError",
    "InvalidQueryError",
    "LibraryError",
    "Receipt",
    "Retrieval",
    "RetrievalError",
    "Retriever",
    "Row",
    "Snapshot",
    "Stage",
    "Strategy",
    "Table",
    "TraversalConfig",
    "TraversalIndex",
    "UnknownNameError",
    "UnreadableSettingsError",
    "Vocabulary",
    "build_snapshot",
    "debug_lines",
    "explain",
    "extract_query_must",
    "load_embedder",
    "open_snapshot",
    "promote",
    "retrieve_candidates",
    "retrieve_with_iterative_filtering",
    "satisfies_query_must",
    "verify_snapshot",
]

_ELSEWHERE = {
    "STRATEGIES": "search.strategies",
    "Explanation": "search.receipt.explanation",
    "Retriever": "search.retriever",
    "Snapshot": "index.snapshot.snapshot",
    "Strategy": "strategy",
    "TraversalConfig": "understand.traversal_config",
    "TraversalIndex": "understand.traversal",
    "Vocabulary": "query_must.vocabulary.vocabulary",
    "build_snapshot": "index.snapshot.snapshot",
    "debug_lines": "search.receipt.transcript",
    "explain": "search.receipt.explanation",
    "extract_query_must": "query_must.extraction",
    "load_embedder": "index.embedding.embedders",
    "open_snapshot": "index.snapshot.snapshot",
    "promote": "index.snapshot.live",
    "retrieve_candidates": "understand.traversal",
    "retrieve_with_iterative_filtering": "search.dense.iterative",
    "satisfies_query_must": "query_must.predicate",
    "verify_snapshot": "index.snapshot.verification",
}
"""Module of each public name that is neither a record nor an error."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _ELSEWHERE.get(name, "errors" if name.endswith("Error") else "types")
    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
