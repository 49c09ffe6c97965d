"""Why one chunk is in or out for one question."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.query_must.predicate import explain as explain_predicate
from retrieval.search.question import Question
from retrieval.search.retriever import Retriever
from retrieval.search.scan import rank, scan
from retrieval.search.stopwatch import Stopwatch
from retrieval.search.strategies import strategy as strategy_named
from retrieval.strategy import Strategy
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that decides about one chunk. Key: (question, strategy, chunk id)."""

    question: str
    canonical: str
    """The form of the question that the predicate saw."""
    strategy: str
    chunk: Chunk
    excluded: bool
    """A predicate keeps it out, under this strategy."""
    verdict: str
    """`no restrictions`, `satisfies query_must`, or what fails; said even if the filter is off."""
    rank: int | None
    """1-based, among all chunks that may come back; None when it is excluded."""
    rank_unfiltered: int
    """1-based, as if nothing were filtered."""
    n_chunks: int
    score: float
    evidence: Mapping[str, float]

    def lines(self) -> tuple[str, ...]:
        """For a person to read."""
        place = f"rank {self.rank}" if self.rank else f"excluded; unfiltered it would be rank {self.rank_unfiltered}"
        parts = ", ".join(f"{name} {value:.3f}" for name, value in self.evidence.items())
        return (
            f"{'OUT' if self.excluded else 'IN'}: {self.chunk.title}",
            f"  question    {self.canonical}",
            f"  query_must  {self.chunk.query_must or 'none'}",
            f"  verdict     {self.verdict}",
            f"  {self.strategy:<11} {place} of {self.n_chunks}, score {self.score:.3f}",
            f"  evidence    {parts}",
        )


def explain(retriever: Retriever, question: str, chunk_id: str, strategy: str | Strategy = "default") -> Explanation:
    """Where a chunk stands for a question and why; ranks are exact, whatever the strategy approximates.

    Raises:
        InvalidQueryError: the question is empty or too long.
        UnknownNameError: no such chunk or strategy.
    """
    snapshot = retriever.snapshot
    chosen = strategy_named(strategy) if isinstance(strategy, str) else strategy
    position = int(snapshot.chunks.positions([chunk_id])[0])
    asked = Question.ask(question, snapshot.vocabulary)
    vector = retriever.embedder.embed_query(question) if chosen.has_dense_leg else None
    legs = scan(snapshot, asked, vector, chosen, Stopwatch())
    admitted = retriever.admitted(asked)
    chunk = snapshot.chunks[position]
    satisfied = chunk.query_must is None or bool(np.isin(position, admitted))
    excluded = chosen.query_must != "off" and not satisfied
    everything = rank(legs, snapshot, chosen, len(snapshot), None)
    allowed = rank(legs, snapshot, chosen, len(snapshot), admitted if chosen.query_must != "off" else None)
    place = _place(everything.positions, position)
    return Explanation(
        question=question,
        canonical=asked.canonical.text.strip(),
        strategy=chosen.name,
        chunk=chunk,
        excluded=excluded,
        verdict="no restrictions" if chunk.query_must is None else explain_predicate(asked.canonical, chunk.query_must),
        rank=None if excluded else _place(allowed.positions, position) + 1,
        rank_unfiltered=place + 1,
        n_chunks=len(snapshot),
        score=float(everything.scores[place]),
        evidence={name: float(part[place]) for name, part in everything.evidence.items()},
    )


def _place(positions: "np.ndarray[tuple[int], np.dtype[np.int64]]", position: int) -> int:
    return int(np.flatnonzero(positions == position)[0])
