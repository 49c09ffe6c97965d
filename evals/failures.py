"""Questions whose first result does not answer them, with that result and, if known, the reason."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evals.noise import Relatives
from evals.scored_questions import ScoredQuestion
from retrieval.language.canonical import Canonical
from retrieval.query_must.predicate import explain
from retrieval.types import Chunk

Read = Callable[[str], Canonical]
"""Returns a question in canonical form, as predicates need it."""

METRIC = "hit@1"
"""The metric that a failed question has as 0: no gold chunk is first. Questions without gold have no value."""


@dataclass(frozen=True, slots=True)
class FailedQuestion:
    """One question that failed. Key: (set, split, strategy, question id) of its row."""

    row: ScoredQuestion
    gold: tuple[Chunk, ...]
    first: Chunk | None
    """The first result; None if there was none."""
    why: tuple[str, ...]
    """Known causes, a sentence for each; empty if gold was merely ranked lower."""


def failures(rows: Iterable[ScoredQuestion], relatives: Relatives, read: Read) -> tuple[FailedQuestion, ...]:
    """Return the questions that fail `hit@1`, in the order of the rows."""
    return tuple(_failure(row, relatives, read) for row in rows if row.values.get(METRIC) == 0)


def _failure(row: ScoredQuestion, relatives: Relatives, read: Read) -> FailedQuestion:
    first = relatives.chunks[row.chunk_ids[0]] if row.chunk_ids else None
    gold = tuple(relatives.chunks[name] for name in row.gold)
    why = [_excluded(row.query, relatives.chunks[name], read) for name in row.excluded_gold]
    if first is None:
        why.append("nothing came back")
    else:
        why += _of_first(first, gold, row, relatives)
    return FailedQuestion(row, gold, first, tuple(why))


def _excluded(query: str, chunk: Chunk, read: Read) -> str:
    why = explain(read(query), chunk.query_must) if chunk.query_must is not None else "it has no predicate"
    return f"the filter excluded gold, {chunk.title}: {why}"


def _of_first(first: Chunk, gold: tuple[Chunk, ...], row: ScoredQuestion, relatives: Relatives) -> list[str]:
    """Return how the first result is related to the gold."""
    if first.table_id is not None and first.table_id in {chunk.table_id for chunk in gold}:
        return ["the first is another row of the same table"]
    if relatives.family.get(first.id) in relatives.families(row.gold):
        return ["the first is a row of a table with the same columns"]
    if row.book and first.book != row.book:
        return ["the first is from another book"]
    return []
