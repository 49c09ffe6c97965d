"""What the filter says of hits that were found without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.query_must.refusal import refusal
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Hit


@dataclass(frozen=True, slots=True)
class KeptOut:
    """Why hits of a search with the filter off would not come back with it on. A hit that is only ranked lower there
    is not among them, however far down it is.
    """

    reasons: Mapping[str, str]
    """A sentence for a person, by chunk id."""

    @classmethod
    def of(cls, retriever: Retriever, question: str, hits: Sequence[Hit], strategy: Strategy) -> "KeptOut":
        """Ask the predicates about these hits.

        Args:
            retriever: that found them.
            question: 1 to 2,000 characters.
            hits: of a search with the filter off.
            strategy: as it is with its own filter; one without a filter keeps nothing out.
        """
        if strategy.query_must == "off":
            return cls({})
        snapshot = retriever.snapshot
        asked = Query.of(question, snapshot).among(snapshot.rivals)
        may_come = retriever.admitted(asked).mask(snapshot)[snapshot.chunks.positions([hit.chunk.id for hit in hits])]
        return cls(
            {
                hit.chunk.id: refusal(asked.text, asked.canonical, hit.chunk.query_must, hit.chunk)
                for hit, may in zip(hits, may_come.tolist(), strict=True)
                if not may
            }
        )

    def told_in(self, record: dict[str, Any]) -> dict[str, Any]:
        """A retrieval as JSON values, each hit with its `kept_out`."""
        return record | {"hits": [hit | {"kept_out": self.reasons.get(hit["id"])} for hit in record["hits"]]}
