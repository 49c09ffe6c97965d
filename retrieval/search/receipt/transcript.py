"""A retrieval as the published plan prints it: KEEP and EXCLUDE, line by line."""

from collections.abc import Iterator
from itertools import groupby

from retrieval.query_must.predicate import SATISFIED
from retrieval.search.receipt.arithmetic import Sum
from retrieval.types import Decision, Retrieval


def debug_lines(retrieval: Retrieval) -> tuple[str, ...]:
    """Every decision with its reason, the rounds, where the time went, and what each score is the sum of."""
    return tuple(_lines(retrieval))


def _lines(retrieval: Retrieval) -> Iterator[str]:
    receipt = retrieval.receipt
    yield f"[Question] {receipt.canonical}"
    excluded = looked_at = 0
    for number, decisions in groupby(receipt.decisions, key=lambda decision: decision.round):
        if number > 1:
            yield f"[Iteration {number}] Excluding {looked_at} chunks already seen"
        for decision in decisions:
            looked_at += 1
            excluded += not decision.kept
            yield from _decision_lines(decision)
    yield f"[FINAL] Returning {len(retrieval.hits)} chunks after {receipt.rounds} iterations"
    if receipt.excluded is None:
        yield "[FINAL] Excluded chunks were not counted; ask with debug"
    else:
        yield f"[FINAL] Excluded {excluded} chunks total"
    yield "[TIME] " + ", ".join(f"{stage.name} {stage.milliseconds:.1f} ms" for stage in receipt.stages)
    for hit in retrieval.hits:
        yield f"[SCORE] {hit.rank}: {Sum(hit.score, hit.addends, hit.evidence).line()}"


def _decision_lines(decision: Decision) -> Iterator[str]:
    if not decision.kept:
        yield f"  ❌ EXCLUDE: {decision.title}"
        yield f"     Reason: {decision.reason}"
    elif decision.reason == SATISFIED:
        yield f"  ✅ KEEP: {decision.title}"
    else:
        yield f"  ✅ KEEP: {decision.title} ({decision.reason})"
