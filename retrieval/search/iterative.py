"""Iterative filtering: search, exclude, search again, three rounds at most.

It differs from the original in one place: it excludes all chunks that it has seen, not only those that it discarded;
otherwise kept chunks are returned again and counted twice. The compiled filter of `prefilter` is faster and never runs
out of rounds; this module is kept for comparison and for collections of other programs (`search.foreign`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrieval.clock import Clock
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language.canonical import Canonical
from retrieval.query_must.predicate import UNRESTRICTED, explain, predicates_in, satisfies_query_must
from retrieval.query_must.refusal import refusal
from retrieval.search.fusion import Leg, Ranking, best, similarity
from retrieval.search.query import Query
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Decision, Iteration, Receipt, StopReason, Vector


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk as a collection returned it. Key: collection, id."""

    id: str
    distance: float
    title: str
    query_must: str | None = None
    document: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    collection: str | None = None
    """The foreign collection that it is from; None if it is from our own index."""


@dataclass(frozen=True, slots=True)
class IterativeOutcome:
    """The chunks that the rounds kept, nearest first, and the receipt with every decision."""

    kept: tuple[Neighbour, ...]
    receipt: Receipt
    readings: Mapping[str, str] = field(default_factory=dict)
    """The canonical form of the question in the vocabulary of each foreign collection."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """A decision on every chunk examined, in the order of the rounds."""
        return self.receipt.decisions

    @property
    def rounds(self) -> int:
        """Rounds that returned something; 1 if none did."""
        return self.receipt.rounds

    @property
    def excluded(self) -> int:
        """The number of chunks that a predicate excluded."""
        return self.receipt.excluded or 0

    @property
    def stopped(self) -> StopReason | None:
        """Why there was no other round."""
        return self.receipt.stopped

    @property
    def iterations(self) -> tuple[Iteration, ...]:
        """The rounds with their times."""
        return self.receipt.iterations

    @property
    def milliseconds(self) -> float:
        """Wall time, from the question to the last chunk."""
        return self.receipt.milliseconds


Ask = Callable[[int, Sequence[Neighbour]], Sequence[Neighbour]]
"""(k, candidates seen) -> the k nearest candidates not seen before."""
Read = Callable[[Neighbour], Canonical]
"""Returns the question as the vocabulary of a candidate's collection reads it."""


Say = Callable[[Neighbour], str]
"""Returns why a candidate is excluded, in words for a person."""


def iterate(ask: Ask, read: Read, say: Say, k: int, max_iterations: int) -> IterativeOutcome:
    """Search in rounds until k candidates satisfy their query_must, nothing is left, or the rounds are used up.

    Args:
        ask: returns the nearest candidates not seen before.
        read: returns the question in canonical form.
        say: returns in words why a candidate is excluded.
        k: the number of candidates to keep, and to request in each round.
    """
    whole = Clock()
    seen: list[Neighbour] = []
    decisions: list[Decision] = []
    iterations: list[Iteration] = []
    stopped: StopReason | None = None
    while stopped is None and len(iterations) < max_iterations:
        clock, number = Clock(), len(iterations) + 1
        answer = ask(k, seen)
        judged = [_decide(candidate, read(candidate), say, number) for candidate in answer]
        seen += answer
        decisions += judged
        excluded = sum(not decision.kept for decision in judged)
        iterations.append(Iteration(number, len(answer), excluded, clock.milliseconds))
        stopped = _why_no_further(len(answer), excluded, sum(decision.kept for decision in decisions), k)
    kept = [candidate for candidate, decision in zip(seen, decisions, strict=True) if decision.kept]
    kept.sort(key=lambda candidate: (candidate.distance, candidate.id))
    receipt = Receipt(
        canonical="",
        decisions=tuple(decisions),
        rounds=max(sum(iteration.looked_at > 0 for iteration in iterations), 1),
        excluded=sum(iteration.excluded for iteration in iterations),
        iterations=tuple(iterations),
        stopped=stopped or "Iteration limit reached",
        milliseconds=whole.milliseconds,
    )
    return IterativeOutcome(tuple(kept[:k]), receipt)


def _why_no_further(looked_at: int, excluded: int, kept: int, k: int) -> StopReason | None:
    """Return why a round is the last; None if another may find more."""
    if kept >= k:
        return "Target k reached"
    if looked_at < k:
        return "No more results" if excluded or not looked_at else "No exclusions, stopping"
    return None


def _decide(candidate: Neighbour, question: Canonical, say: Say, number: int) -> Decision:
    if candidate.query_must is None:
        kept, reason = True, _why_unrestricted(candidate)
    else:
        kept = satisfies_query_must(question, candidate.query_must)
        reason = explain(question, candidate.query_must)
    in_words = "" if kept else say(candidate)
    return Decision(candidate.id, candidate.title, kept, reason, number, candidate.collection, in_words=in_words)


def _why_unrestricted(candidate: Neighbour) -> str:
    """Return `no restrictions`, with a note if the document has predicates that are not in its metadata."""
    written = len(predicates_in(candidate.document or ""))
    return f"{UNRESTRICTED}: {written} query_must in its document, none in its metadata" if written else UNRESTRICTED


def nearest_in_rounds(
    snapshot: Snapshot, question: Query, vector: Vector, k: int, strategy: Strategy, where: Mask | None = None
) -> Ranking:
    """Return the k nearest chunks that satisfy their query_must, found in rounds; possibly fewer than exist.

    Args:
        vector: (dimensions,) vector of the question.
        k: the number of chunks to return, and to examine in each round.
        strategy: sets the most rounds.
        where: (n,) the chunks that pass the caller's filter; None: all.
    """

    met: dict[str, Chunk] = {}
    cosines = similarity(snapshot.vectors, vector)

    def say(candidate: Neighbour) -> str:
        return refusal(question.text, question.canonical, candidate.query_must, met[candidate.id])

    def ask(wanted: int, before: Sequence[Neighbour]) -> list[Neighbour]:
        unseen = np.ones(len(snapshot), dtype=np.bool_) if where is None else where.copy()
        unseen[snapshot.chunks.positions(sorted(candidate.id for candidate in before))] = False
        nearest = best(cosines, wanted, unseen)
        chunks = [snapshot.chunks[int(position)] for position in nearest]
        met.update((chunk.id, chunk) for chunk in chunks)
        return [
            Neighbour(chunk.id, 1.0 - float(cosine), chunk.title, chunk.query_must)
            for chunk, cosine in zip(chunks, cosines[nearest], strict=True)
        ]

    outcome = iterate(ask, lambda _: question.canonical, say, k, strategy.max_iterations)
    positions = snapshot.chunks.positions([candidate.id for candidate in outcome.kept])
    scores = np.asarray([1.0 - candidate.distance for candidate in outcome.kept])
    parts = [Leg(scores, name="dense")]
    return Ranking(
        positions,
        scores,
        {"dense": scores},
        parts,
        decisions=outcome.decisions,
        rounds=outcome.rounds,
        iterations=outcome.iterations,
        stopped=outcome.stopped,
    )
