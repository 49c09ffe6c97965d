"""The questions whose first result does not answer them, with what came first and why, where that is known."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evals.metrics import DEPTH
from evals.noise import Relatives
from evals.scored_questions import ScoredQuestion
from retrieval.language.canonical import Canonical
from retrieval.query_must.predicate import explain
from retrieval.types import Chunk

Read = Callable[[str], Canonical]
"""Puts a question in the form that predicates see."""

METRIC = "hit@1"
"""What a question fails: 0 if no gold chunk comes first. Questions without gold have no such value."""


@dataclass(frozen=True, slots=True)
class FailedQuestion:
    """One question that failed. Key: (set, split, strategy, question id) of its row."""

    row: ScoredQuestion
    gold: tuple[Chunk, ...]
    gold_rank: int | None
    """1-based rank of the first gold chunk; None if it is not among the first 100."""
    first: Chunk | None
    """What came first; None if nothing came back."""
    why: tuple[str, ...]
    """What is known of the cause, a sentence each; empty if it was merely ranked lower."""


def failures(rows: Iterable[ScoredQuestion], relatives: Relatives, read: Read) -> tuple[FailedQuestion, ...]:
    """The rows that fail `hit@1`, in their order.

    Args:
        rows: of an experiment over the chunks that `relatives` knows.
        relatives: the chunks by id, and the tables' families.
        read: puts a question in the form that the predicates of the snapshot see: `Snapshot.canonical_of`.
    """
    return tuple(_failure(row, relatives, read) for row in rows if row.values.get(METRIC) == 0)


def _failure(row: ScoredQuestion, relatives: Relatives, read: Read) -> FailedQuestion:
    ranks = [rank for ids in (row.chunk_ids, row.deep_chunk_ids) for rank, name in _ranked(ids) if name in row.gold]
    first = relatives.chunks[row.chunk_ids[0]] if row.chunk_ids else None
    gold = tuple(relatives.chunks[name] for name in row.gold)
    why = [_excluded(row.query, relatives.chunks[name], read) for name in row.excluded_gold]
    if first is None:
        why.append("nothing came back")
    else:
        why += _of_first(first, gold, row, relatives)
    return FailedQuestion(row, gold, ranks[0] if ranks else None, first, tuple(why))


def _ranked(ids: tuple[str, ...]) -> Iterable[tuple[int, str]]:
    return enumerate(ids[:DEPTH], start=1)


def _excluded(query: str, chunk: Chunk, read: Read) -> str:
    why = explain(read(query), chunk.query_must) if chunk.query_must is not None else "it has no predicate"
    return f"the filter excluded gold, {chunk.title}: {why}"


def _of_first(first: Chunk, gold: tuple[Chunk, ...], row: ScoredQuestion, relatives: Relatives) -> list[str]:
    """What the first result has to do with the gold."""
    if first.table_id is not None and first.table_id in {chunk.table_id for chunk in gold}:
        return ["the first is another row of the same table"]
    if relatives.family.get(first.id) in relatives.families(row.gold):
        return ["the first is a row of a table with the same columns"]
    if row.book and first.book != row.book:
        return ["the first is from another book"]
    return []
