"""What each strategy did with each question, and for as many as a page can hold the ranking, score by score."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evals.failures import FailedQuestion
from evals.scored_questions import ScoredQuestion
from pipeline.report.standings import question_key
from retrieval.query_must.predicate import explain
from retrieval.query_must.refusal import in_words
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K
from retrieval.types import Chunk, Hit

RANKINGS = 800
"""So many are shown in full: about 2 MB. The page names what came of every other question, and the command for it."""
EXCLUDED = 10
"""So many of the chunks that a filter kept out of one ranking are named."""

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
    """The first 15 with their scores, and what a filter kept out from among them."""

    canonical: str
    """The question as the predicates saw it."""
    hits: tuple[Ranked, ...]
    excluded: tuple[MissedChunk, ...]
    n_excluded: int
    missing: tuple[MissedChunk, ...]
    """Gold that is not among the hits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one strategy did with one question. Key: (set, split, question id, strategy) of its row."""

    row: ScoredQuestion
    rank: int | None
    """Of the first gold chunk; None if it is not among the first 100, or there is no gold."""
    failed: bool
    """Its first result is not gold. A question without gold cannot fail."""
    why: tuple[str, ...]
    """Of a failure, what is known of its cause."""
    first: Chunk | None
    """Of a failure, what came first."""
    gold: Chunk | None
    """Of a failure, the first of its gold."""
    ranking: Ranking | None
    """None: the page holds others."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Gold that a filter kept out of a ranking. Key: (set, split, question id, strategy, chunk id)."""

    row: ScoredQuestion
    chunk: Chunk
    reason: str
    """What its predicate missed, as receipts say it."""
    asks: str
    """What its predicate asks for, in words."""


def outcomes_of(
    rows: Sequence[ScoredQuestion],
    failed: Sequence[FailedQuestion],
    retriever: Retriever,
    shipped: str,
    progress: Progress = lambda *_: None,
) -> tuple[Outcome, ...]:
    """What came of every row, in the order of the rows.

    Failures get their rankings first, those of `shipped` before all others; then what `shipped` did well.
    """
    known = {_key(failure.row): failure for failure in failed}
    positions = sorted(range(len(rows)), key=lambda at: (_key(rows[at]) not in known, rows[at].strategy != shipped, at))
    chosen = sorted(positions[:RANKINGS])
    rankings: dict[int, Ranking] = {}
    for done, position in enumerate(chosen):
        progress(done, len(chosen))
        rankings[position] = _ranking(rows[position], retriever)
    return tuple(_outcome(row, known.get(_key(row)), rankings.get(position)) for position, row in enumerate(rows))


def exclusions_of(rows: Sequence[ScoredQuestion], retriever: Retriever) -> tuple[Exclusion, ...]:
    """Every gold chunk that a filter kept out, with what its predicate missed in the question."""
    return tuple(
        Exclusion(row, chunk, _refusal(row.query, chunk, retriever), in_words(chunk.query_must or {}))
        for row in rows
        for chunk in _chunks(retriever, row.excluded_gold).values()
    )


def _outcome(row: ScoredQuestion, failure: FailedQuestion | None, ranking: Ranking | None) -> Outcome:
    if failure is None:
        return Outcome(row, row.gold_rank, False, (), None, None, ranking)
    gold = failure.gold[0] if failure.gold else None
    return Outcome(row, row.gold_rank, True, failure.why, failure.first, gold, ranking)


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


def _key(row: ScoredQuestion) -> tuple[str, str]:
    return question_key(row), row.strategy
