"""Rows of a small strategy, as scored and as they were, and a verdict on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evals.acceptance import Bound, Judged, Verdict, changes
from evals.failures import Failure
from evals.scored_questions import ScoredQuestion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrieval.types import Chunk


def build_row(name: str, rank: int | None = 1, query: str = "", strategy: str = "default") -> ScoredQuestion:
    """A question whose gold is at `rank`; 0: a question without gold."""
    values = {} if rank == 0 else {"hit@1": float(rank == 1), "mrr": 1 / rank if rank else 0.0}
    return ScoredQuestion(
        set="asked",
        split="people",
        strategy=strategy,
        question_id=name,
        book="b",
        kind="lookup",
        query=query or f"ask {name}",
        gold=() if rank == 0 else ("g",),
        chunk_ids=("a", "b", "c"),
        deep_chunk_ids=("a", "b", "c", "d"),
        deep_scores=(4.0, 3.0, 2.0, 1.0),
        excluded_gold=(),
        unfiltered_noise=None,
        unfiltered_guarded_noise=None,
        unfiltered_recall=None,
        why="",
        values=values,
        milliseconds=7.0,
    )


@pytest.fixture(scope="session")
def make_row() -> Callable[..., ScoredQuestion]:
    return build_row


@pytest.fixture
def make_verdict(make_chunk: Callable[..., Chunk]) -> Callable[..., Verdict]:
    """A verdict on rows; the failing ones were beaten by the chunk `other`."""

    def make(*rows: ScoredQuestion, bound: float = 0.5, before: Sequence[ScoredQuestion] = (), **given: Any) -> Verdict:
        gold, other = make_chunk("g", row_key="6"), make_chunk("other", row_key="9")
        failed = tuple(
            Failure(row, (gold,), row.gold_rank, other, ("the first is another row of the same table",))
            for row in rows
            if row.values.get("hit@1") == 0
        )
        mrr = [row.values["mrr"] for row in rows if "mrr" in row.values]
        return Verdict(
            strategy="default",
            snapshot="snap",
            rows=rows,
            bounds=(Judged(Bound("mrr", bound), sum(mrr) / len(mrr) if mrr else None),),
            failures=failed,
            changes=changes("then", rows, before) if before else None,
            stale=given.get("stale", ()),
        )

    return make
