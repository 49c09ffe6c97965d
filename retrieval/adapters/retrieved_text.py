"""The record of a hit for a framework: a text with an id, a score and JSON-serializable metadata."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from retrieval.home import Home
from retrieval.rag.live import LiveIndex
from retrieval.search.metadata_filter import Filter
from retrieval.strategy import DEFAULT_K, Strategy
from retrieval.types import Hit, MetadataValue

PlainValue = str | int | float | bool | list[str]


@dataclass(frozen=True, slots=True)
class Search:
    """The live index with all search settings. Any number of threads may share one."""

    live: LiveIndex
    k: int = DEFAULT_K
    strategy: str | Strategy = "default"
    where: Filter | None = None

    @classmethod
    def open(cls, home: Path, **settings: Any) -> Self:
        """Return a search of a built home; `settings` are `k`, `strategy` (default: that of the home) and `where`.

        Raises:
            NothingLiveError: nothing is live there.
        """
        live = LiveIndex(Home.at(home))
        live.reader()
        return cls(live, **{"strategy": live.strategy} | settings)


@dataclass(frozen=True, slots=True)
class RetrievedText:
    """A hit as passed to a framework. Key: id."""

    id: str
    """Id of the content: the same chunk has the same id in every index."""
    text: str
    """The text for a reader or a model: prose, or a row as a JSON object."""
    score: float
    """It ranks the hits of one question; scores of different questions cannot be compared."""
    source: str
    """Book and document, such as `rules/03-combat.md`."""
    metadata: Mapping[str, PlainValue]
    """Metadata of the document, overridden by `rank`, `score`, `book`, `document`, `section`, `kind`, `lines`, and
    `reason` if the chunk has a predicate."""


def retrieved_texts(search: Search, query: str) -> tuple[RetrievedText, ...]:
    """Return the answer to a question, best first, from the live snapshot.

    Raises:
        InvalidQueryError: the question is empty or too long, or k is less than 1.
        UnknownNameError: no strategy has that name, or `where` names a key that no chunk has.
    """
    texts = search.live.ask(
        lambda reader: reader.retriever.retrieve(query, k=search.k, strategy=search.strategy, where=search.where)
    )
    reasons = {decision.chunk_id: decision.reason for decision in texts.receipt.decisions if decision.kept}
    return tuple(_retrieved_text(hit, reasons[hit.chunk.id]) for hit in texts.hits)


def _retrieved_text(hit: Hit, reason: str) -> RetrievedText:
    chunk = hit.chunk
    first, last = chunk.lines
    metadata: dict[str, PlainValue] = {
        **{key: _plain(value) for key, value in chunk.metadata.items()},
        "rank": hit.rank,
        "score": hit.score,
        "book": chunk.book,
        "document": chunk.document,
        "section": " > ".join(chunk.heading_path),
        "kind": chunk.kind,
        "lines": f"{first}-{last}",
    }
    if chunk.query_must is not None:
        metadata["reason"] = reason
    return RetrievedText(chunk.id, chunk.text, hit.score, f"{chunk.book}/{chunk.document}", metadata)


def _plain(value: MetadataValue) -> PlainValue:
    return list(value) if isinstance(value, tuple) else value
