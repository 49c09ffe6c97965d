"""The result of each strategy for each question, with the scored ranking for as many as a page can hold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evals.evaluation import SHIPPED
from evals.failures import FailedQuestion
from evals.scored_questions import ScoredQuestion
from retrieval.query_must.predicate import explain
from retrieval.query_must.refusal import in_words
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K
from retrieval.types import Chunk, Hit

RANKINGS = 800
"""Most rankings shown in full: about 2 MB. For the others the page gives the outcome and the command to show them."""
EXCLUDED = 10
"""Most chunks named that a filter excluded from one ranking."""

Progress = Callable[[int, int], None]
"""(done, total) rankings."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One hit, and why it was kept."""

    hit: Hit
    gold: bool
    reason: str


@dataclass(frozen=True, slots=True)
class MissedChunk:
    """A chunk that is not among the hits, with what is known of it."""

    chunk: Chunk
    explanation: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first 15 hits with their scores, and the chunks that a filter excluded from them."""

    canonical: str
    """The question as the predicates saw it."""
    hits: tuple[Ranked, ...]
    excluded: tuple[MissedChunk, ...]
    n_excluded: int
    missing: tuple[MissedChunk, ...]
    """Gold that is not among the hits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one strategy for one question. Key: that of its row, and its strategy."""

    row: ScoredQuestion
    failure: FailedQuestion | None
    """None if its first result is gold, or if there is no gold."""
    ranking: Ranking | None
    """None if the page has no room for it."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Gold that a filter excluded from a ranking. Key: (set, split, question id, strategy, chunk id)."""

    row: ScoredQuestion
    chunk: Chunk
    reason: str
    """What its predicate missed, in the words of receipts."""
    asks: str
    """The requirement of its predicate, in words."""


def outcomes_of(
    rows: Sequence[ScoredQuestion],
    failed: Sequence[FailedQuestion],
    retriever: Retriever,
    progress: Progress = lambda *_: None,
) -> tuple[Outcome, ...]:
    """Return the outcome of every row, in the order of the rows.

    Failures get their rankings first, those of the shipped strategy before all others; then its successes.
    """
    known = {(failure.row.key, failure.row.strategy): failure for failure in failed}
    failures = [known.get((row.key, row.strategy)) for row in rows]
    positions = sorted(range(len(rows)), key=lambda at: (failures[at] is None, rows[at].strategy != SHIPPED, at))
    chosen = sorted(positions[:RANKINGS])
    rankings: dict[int, Ranking] = {}
    for done, position in enumerate(chosen):
        progress(done, len(chosen))
        rankings[position] = _ranking(rows[position], retriever)
    return tuple(Outcome(row, failures[at], rankings.get(at)) for at, row in enumerate(rows))


def exclusions_of(rows: Sequence[ScoredQuestion], retriever: Retriever) -> tuple[Exclusion, ...]:
    """Return every gold chunk that a filter excluded, with what its predicate missed in the question."""
    return tuple(
        Exclusion(row, chunk, _refusal(row.query, chunk, retriever), in_words(chunk.query_must or {}))
        for row in rows
        for chunk in _chunks(retriever, row.excluded_gold).values()
    )


def _ranking(row: ScoredQuestion, retriever: Retriever) -> Ranking:
    retrieval = retriever.retrieve(row.query, DEFAULT_K, row.strategy, debug=True)
    reasons = {decision.chunk_id: decision.reason for decision in retrieval.receipt.decisions if decision.kept}
    excluded = {decision.chunk_id: decision.reason for decision in retrieval.receipt.decisions if not decision.kept}
    named = _chunks(retriever, list(excluded)[:EXCLUDED])
    return Ranking(
        canonical=retrieval.receipt.canonical,
        hits=tuple(Ranked(hit, hit.chunk.id in row.gold, reasons.get(hit.chunk.id, "")) for hit in retrieval.hits),
        excluded=tuple(MissedChunk(chunk, excluded[name]) for name, chunk in named.items()),
        n_excluded=len(excluded),
        missing=_missing(row, {hit.chunk.id for hit in retrieval.hits}, retriever),
    )


def _missing(row: ScoredQuestion, shown: set[str], retriever: Retriever) -> tuple[MissedChunk, ...]:
    deep = {name: rank for rank, name in enumerate(row.deep_chunk_ids, start=1)}
    absent = [name for name in row.gold if name not in shown]
    missing = []
    for name, chunk in _chunks(retriever, absent).items():
        if name in row.excluded_gold:
            missing.append(MissedChunk(chunk, f"excluded: {_refusal(row.query, chunk, retriever)}"))
        else:
            missing.append(MissedChunk(chunk, f"rank {deep[name]}" if name in deep else "not among the first 100"))
    return tuple(missing)


def _refusal(query: str, chunk: Chunk, retriever: Retriever) -> str:
    if chunk.query_must is None:
        return "it has no predicate"
    return explain(retriever.snapshot.canonical_of(query), chunk.query_must)


def _chunks(retriever: Retriever, ids: Sequence[str]) -> Mapping[str, Chunk]:
    chunks = retriever.snapshot.chunks
    return {name: chunks[int(at)] for name, at in zip(ids, chunks.positions(ids), strict=True)} if ids else {}
