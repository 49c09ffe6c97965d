"""Explains why a chunk is a hit or is excluded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from retrieval.clock import Stopwatch
from retrieval.query_must.predicate import UNRESTRICTED
from retrieval.query_must.predicate import explain as explain_predicate
from retrieval.query_must.refusal import refusal
from retrieval.search.first_stage import AllowedChunks
from retrieval.search.fusion import Positions
from retrieval.search.query import Query
from retrieval.search.ranking import Search, rank
from retrieval.search.receipt import DIGITS, Sum
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy as strategy_named
from retrieval.strategy import Strategy
from retrieval.types import Addend, Chunk


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that decides whether and where one chunk is returned. Key: (question, strategy, chunk id)."""

    question: str
    canonical: str
    """The form of the question that the predicate is evaluated on."""
    strategy: str
    chunk: Chunk
    excluded: bool
    """Whether a predicate excludes it under this strategy."""
    verdict: str
    """`no restrictions`, `satisfies query_must`, or the condition that fails; given even if the filter is off."""
    in_words: str
    """The verdict as one sentence for a person, if it excludes the chunk; else empty."""
    rank: int | None
    """1-based, among all chunks that may be returned; None if it is excluded."""
    rank_unfiltered: int
    """1-based, as if nothing were filtered."""
    n_chunks: int
    score: float
    evidence: Mapping[str, float]
    """The measured values, by name."""
    addends: tuple[Addend, ...]
    """The addends of the score."""

    def lines(self) -> tuple[str, ...]:
        """Return the explanation as lines for a person."""
        position = f"rank {self.rank}" if self.rank else f"excluded; unfiltered it would be rank {self.rank_unfiltered}"
        sums = Sum(self.score, self.addends, self.evidence).lines()
        return (
            f"{'OUT' if self.excluded else 'IN'}: {self.chunk.title}",
            f"  question    {self.canonical}",
            f"  query_must  {self.chunk.query_must or 'none'}",
            f"  verdict     {self.verdict}",
            *([f"  in words    {self.in_words}"] if self.in_words else []),
            f"  {self.strategy:<11} {position} of {self.n_chunks}, score {self.score:.{DIGITS}f}",
            *(f"  {'evidence' if not number else '':<11} {line}" for number, line in enumerate(sums)),
        )


def explain(retriever: Retriever, question: str, chunk_id: str, strategy: str | Strategy = "default") -> Explanation:
    """Return where a chunk ranks for a question and why; ranks are exact even if the strategy approximates.

    Raises:
        InvalidQueryError: the question is empty or too long.
        UnknownNameError: there is no such chunk or strategy.
    """
    snapshot = retriever.snapshot
    chosen = strategy_named(strategy)
    position = snapshot.chunks.position(chunk_id)
    query = Query.of(question, snapshot).among(snapshot.rivals)
    vector = retriever.vector_of(query.text) if chosen.has_dense_leg else None
    search = Search(snapshot, query, vector, chosen, AllowedChunks())
    admitted = AllowedChunks(retriever.admitted(query)) if chosen.query_must != "off" else AllowedChunks()
    chunk = snapshot.chunks[position]
    everything = rank(search, len(snapshot), Stopwatch())
    allowed = rank(replace(search, passing=admitted), len(snapshot), Stopwatch())
    unfiltered, index = _index_of(everything.positions, position), _index_of(allowed.positions, position)
    # The graph raises chunks near the best chunks that may be returned, so a score is valid only in its own ranking.
    shown, at = (everything, unfiltered) if index is None else (allowed, index)
    return Explanation(
        question=question,
        canonical=query.canonical.text.strip(),
        strategy=chosen.name,
        chunk=chunk,
        excluded=index is None,
        verdict=_verdict(chunk, query),
        in_words=refusal(query.text, query.canonical, chunk.query_must, chunk),
        rank=None if index is None else index + 1,
        rank_unfiltered=(unfiltered or 0) + 1,
        n_chunks=len(snapshot),
        score=float(shown.scores[at or 0]),
        evidence=next(islice(shown.measured(), at or 0, None)),
        addends=next(islice(shown.addends(), at or 0, None)),
    )


def _verdict(chunk: Chunk, question: Query) -> str:
    return UNRESTRICTED if chunk.query_must is None else explain_predicate(question.canonical, chunk.query_must)


def _index_of(positions: Positions, position: int) -> int | None:
    indices = np.flatnonzero(positions == position)
    return int(indices[0]) if len(indices) else None
