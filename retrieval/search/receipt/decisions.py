"""Which of the chunks that were looked at were kept and which excluded; `query_must` words the reasons."""

from collections.abc import Sequence

from retrieval.decision import Decision
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.predicate import UNRESTRICTED, explain
from retrieval.query_must.refusal import refusal
from retrieval.search.query import Query
from retrieval.search.ranking import Ranking
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Hit

FILTER_IS_OFF = "filter is off"


def decisions_of(
    ranking: Ranking, hits: Sequence[Hit], question: Query, snapshot: Snapshot, strategy: Strategy
) -> tuple[Decision, ...]:
    """Hits in rank order, then the chunks that a predicate displaced from among them."""
    kept = [Decision(hit.chunk.id, hit.chunk.title, True, _kept_because(hit.chunk, strategy, question)) for hit in hits]
    displaced = [
        snapshot.chunks[int(position)] for position in (() if ranking.displaced is None else ranking.displaced)
    ]
    excluded = [
        Decision(
            chunk.id,
            chunk.title,
            False,
            explain(question.canonical, chunk.query_must),
            in_words=refusal(question.text, question.canonical, chunk.query_must, chunk),
        )
        for chunk in displaced
    ]
    return (*kept, *excluded)


def _kept_because(chunk: Chunk, strategy: Strategy, question: Query) -> str:
    if chunk.query_must is None:
        return UNRESTRICTED
    return FILTER_IS_OFF if strategy.query_must == "off" else explain(question.canonical, chunk.query_must)
