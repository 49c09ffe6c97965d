"""The questions that a strategy answers worst, as records for a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.failures import Read, failures
from evals.noise import NOISE, Relatives
from evals.scored_questions import ScoredQuestion

MOST = 10


@dataclass(frozen=True, slots=True)
class WorstQuestion:
    """A question whose first result does not answer it, what matters first: a table is cut off on its right. Key:
    question."""

    question: str
    """Its id."""
    asked: str
    rank: int | None
    """Of the first gold chunk; None if it is not among the first 100."""
    why: str
    first: str
    """Title of what came first; empty if nothing came back."""
    gold: str
    """Title of the first gold chunk."""
    kind: str
    noise: int
    """Siblings of the right row among the first 15."""


def worst_questions(rows: Sequence[ScoredQuestion], relatives: Relatives, read: Read) -> tuple[WorstQuestion, ...]:
    """At most ten of those that fail: gold that was excluded first, then by its rank from the last, then by noise.

    Args:
        rows: of one strategy.
        relatives: the chunks that were searched.
        read: puts a question in the form that predicates see: `Snapshot.asked`.
    """
    failed = failures(rows, relatives, read)
    found = sorted(
        failed,
        key=lambda each: (
            not each.row.excluded_gold,
            -(each.gold_rank or float("inf")),
            -each.row.values.get(NOISE, 0.0),
            each.row.question_id,
        ),
    )
    return tuple(
        WorstQuestion(
            question=each.row.question_id,
            asked=each.row.query,
            rank=each.gold_rank,
            why="; ".join(each.why) or "merely ranked lower",
            first=each.first.title if each.first else "",
            gold=each.gold[0].title if each.gold else "",
            kind=each.row.kind,
            noise=int(each.row.values.get(NOISE, 0.0)),
        )
        for each in found[:MOST]
    )
