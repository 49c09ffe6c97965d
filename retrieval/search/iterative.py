"""Iterative filtering: search, exclude, search again, three rounds at most.

Repaired in one place: it excludes everything that it has seen, not only what it discarded; otherwise kept chunks come
back and are counted twice. The compiled filter of `prefilter` is faster and never runs out of rounds; this stays for
comparison and for collections that somebody else filled (`search.foreign`).
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
from retrieval.search.cosines import similarity
from retrieval.search.fusion import Leg, Ranking, best
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
    """The foreign collection that it is from; None in our own index."""


@dataclass(frozen=True, slots=True)
class IterativeOutcome:
    """What the rounds kept, nearest first, and the receipt of every decision on the way."""

    kept: tuple[Neighbour, ...]
    receipt: Receipt
    readings: Mapping[str, str] = field(default_factory=dict)
    """Foreign collection to the canonical form of the question in its vocabulary."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every chunk that was looked at, in the order of the rounds."""
        return self.receipt.decisions

    @property
    def rounds(self) -> int:
        """Rounds that brought something; 1 where none did."""
        return self.receipt.rounds

    @property
    def excluded(self) -> int:
        """Chunks that a predicate kept out."""
        return self.receipt.excluded or 0

    @property
    def stopped(self) -> StopReason | None:
        """Why there was no further round."""
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
"""(k, candidates seen) -> the k nearest candidates that were not seen."""
Read = Callable[[Neighbour], Canonical]
"""The question as the vocabulary of a candidate's collection reads it."""


Say = Callable[[Neighbour], str]
"""Why a candidate is excluded, in words for a person."""


def iterate(ask: Ask, read: Read, say: Say, k: int, max_iterations: int) -> IterativeOutcome:
    """Ask in rounds until k candidates satisfy their query_must, nothing is left, or the rounds are used up.

    Args:
        ask: gives the nearest candidates that were not seen yet.
        read: gives the question in canonical form.
        say: words why a candidate is excluded.
        k: how many to keep; also how many each round asks for.
        max_iterations: rounds at most.
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
    """Why a round is the last; None where another may find more."""
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
    """`no restrictions`, and where those are that nobody moved from a document to its metadata."""
    written = len(predicates_in(candidate.document or ""))
    return f"{UNRESTRICTED}: {written} query_must in its document, none in its metadata" if written else UNRESTRICTED


def nearest_in_rounds(
    snapshot: Snapshot, question: Query, vector: Vector, k: int, strategy: Strategy, where: Mask | None = None
) -> Ranking:
    """The k nearest chunks that satisfy their query_must, found by asking again; perhaps fewer than there are.

    Args:
        snapshot: where to search.
        question: what was asked.
        vector: (dimensions,).
        k: how many, and how many each round looks at.
        strategy: says how many rounds there are at most.
        where: (n,) the chunks that the caller's filter passes; None: all.
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
