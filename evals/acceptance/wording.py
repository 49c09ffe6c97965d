"""The sentences of a verdict, the same in a terminal, in JUnit XML and in Markdown."""

from evals.acceptance.bounds import Judged
from evals.acceptance.changes import Moved
from evals.statistics.comparison import Comparison
from retrieval.types import Chunk


def broken_bound(judged: Judged) -> str:
    """`mrr is 0.812, and must be at least 0.85`."""
    score = "undefined for these questions" if judged.score is None else f"{judged.score:.3f}"
    wanted = str(judged.bound).removeprefix(judged.bound.metric + " ")
    return f"{judged.bound.metric} is {score}, and must be {wanted}"


def decline(comparison: Comparison) -> str:
    """`mrr is significantly worse than in the baseline: -0.120 over 40 questions, p = 0.003`."""
    return (
        f"{comparison.metric} is significantly worse than in the baseline: {comparison.difference:+.3f} over "
        f"{comparison.n} questions, p = {comparison.corrected:.3f}"
    )


def rank_text(rank: int | None) -> str:
    """`gold at rank 4`."""
    return f"gold at rank {rank}" if rank else "no gold in the first 100"


def move(moved: Moved) -> str:
    """`rank 1 to 7`; a dash is not among the first 100."""
    return f"rank {moved.before or '–'} to {moved.after or '–'}"


def place(chunk: Chunk) -> str:
    """Where a chunk stands, and what it is called."""
    return f"{chunk.book}/{chunk.document}:{chunk.lines[0]}  {chunk.title}"
