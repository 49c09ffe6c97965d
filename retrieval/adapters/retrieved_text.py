"""What a framework is given of a hit: a text with an id, a score and metadata that can be written as JSON."""

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
    """The live index with all that a question does not say. Any number of threads may share one."""

    live: LiveIndex
    k: int = DEFAULT_K
    strategy: str | Strategy = "default"
    where: Filter | None = None

    @classmethod
    def open(cls, home: Path, **settings: Any) -> Self:
        """One over a home that was built; `settings` are `k`, `strategy` (else that of the home) and `where`.

        Raises:
            NothingLiveError: nothing is live there.
        """
        live = LiveIndex(Home.at(home))
        live.reader()
        return cls(live, **{"strategy": live.strategy} | settings)


@dataclass(frozen=True, slots=True)
class RetrievedText:
    """A hit as a framework hands it on. Key: id."""

    id: str
    """Of the content: the same chunk has the same id in every index."""
    text: str
    """What a reader or a model is shown: prose, or a row as a JSON object."""
    score: float
    """It ranks what one question found; between two questions it says nothing."""
    source: str
    """Book and document, as `rules/03-combat.md`."""
    metadata: Mapping[str, PlainValue]
    """That of the document, and over it `rank`, `score`, `book`, `document`, `section`, `kind`, `lines`, and `reason`
    where the chunk has a predicate."""


def retrieved_texts(search: Search, query: str) -> tuple[RetrievedText, ...]:
    """The answer to a question, the best first, from the snapshot that is live now.

    Raises:
        InvalidQueryError: the question is empty or too long, or k is less than 1.
        UnknownNameError: no strategy is called that, or `where` names a key that no chunk has.
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
