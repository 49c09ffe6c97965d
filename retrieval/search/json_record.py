"""Hits as the JSON values that the command and the server send."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from retrieval.types import Chunk, Hit, Retrieval

ShortId = Callable[[str], str]
"""Returns the beginning of a chunk's id that distinguishes it from all others."""


_FIELDS = (
    *("title", "kind", "book", "document", "lines", "heading_path", "caption", "row_key"),
    *("columns", "cells", "query_must", "text"),
)
"""Fields of a chunk beside its id, in the order in which they are sent."""


def chunk_record(chunk: Chunk, short_id: ShortId) -> dict[str, Any]:
    """Return a chunk as JSON values."""
    values = {name: getattr(chunk, name) for name in _FIELDS}
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {"id": chunk.id, "short_id": short_id(chunk.id), **values}


def hit_record(hit: Hit, short_id: ShortId) -> dict[str, Any]:
    """Return a hit and its chunk as JSON values."""
    addends = [asdict(addend) | {"contribution": addend.contribution} for addend in hit.addends]
    evidence = {name: round(value, 6) for name, value in hit.evidence.items()}
    relevance = None if hit.relevance is None else round(hit.relevance, 6)
    score = {"rank": hit.rank, "score": round(hit.score, 6), "relevance": relevance}
    return score | chunk_record(hit.chunk, short_id) | {"evidence": evidence, "addends": addends}


def retrieval_record(
    retrieval: Retrieval, short_id: ShortId, snapshot: str, reason: str | None = None
) -> dict[str, Any]:
    """Return a retrieval and its receipt as JSON values; `serve.schema.RetrievalRecord` is their schema.

    Args:
        short_id: returns the beginning of an id that no other id has.
        snapshot: id of the searched index.
        reason: why there is no hit, if a least relevance was set.
    """
    return {
        "query": retrieval.query,
        "strategy": retrieval.strategy,
        "hits": [hit_record(hit, short_id) for hit in retrieval.hits],
        "receipt": asdict(retrieval.receipt),
        "snapshot": snapshot,
        "reason": reason,
    }
