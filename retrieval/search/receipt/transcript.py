"""A search as the published plan prints it: KEEP and EXCLUDE line by line, and why no further round followed."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from retrieval.decision import Decision
from retrieval.iteration import Iteration
from retrieval.query_must.predicate import SATISFIED
from retrieval.search.dense.iterative import IterativeOutcome
from retrieval.search.receipt.arithmetic import Sum
from retrieval.types import Receipt, Retrieval


def debug_lines(of: Retrieval | IterativeOutcome) -> tuple[str, ...]:
    """Every decision with its reason, the rounds and why they ended, where the time went, and what scores are made of.

    A search of foreign collections has distances and no sums, so it has no `[SCORE]`.
    """
    if isinstance(of, IterativeOutcome):
        return (*_readings(of), *_lines(of.receipt, len(of.kept), several=len(of.readings) > 1))
    sums = (f"[SCORE] {hit.rank}: {Sum(hit.score, hit.addends, hit.evidence).line()}" for hit in of.hits)
    return (f"[Question] {of.receipt.canonical}", *_lines(of.receipt, len(of.hits)), *sums)


def _readings(outcome: IterativeOutcome) -> Iterator[str]:
    if len(set(outcome.readings.values())) <= 1:
        yield f"[Question] {outcome.receipt.canonical}"
    else:
        yield from (f"[Question] {text} [{name}]" for name, text in outcome.readings.items())


def _lines(receipt: Receipt, returned: int, *, several: bool = False) -> Iterator[str]:
    yield from _rounds(receipt, returned, several=several)
    yield f"[FINAL] Returning {returned} chunks after {receipt.rounds} iterations"
    if receipt.excluded is None:
        yield "[FINAL] Excluded chunks were not counted; ask with debug"
    else:
        yield f"[FINAL] Excluded {receipt.excluded} chunks total"
    if receipt.ordering is not None:
        yield f"[ORDER] {receipt.ordering}"
    stages = [f"{stage.name} {stage.milliseconds:.1f} ms" for stage in receipt.stages]
    yield "[TIME] " + ", ".join([*stages, f"total {receipt.milliseconds:.1f} ms"])


def _rounds(receipt: Receipt, returned: int, *, several: bool) -> Iterator[str]:
    rounds = {number: tuple(group) for number, group in groupby(receipt.decisions, key=lambda decision: decision.round)}
    looked_at = 0
    for number, decisions in rounds.items():
        if number > 1:
            yield f"[Iteration {number}] Excluding {looked_at} chunks already seen"
        looked_at += len(decisions)
        yield from (line for decision in decisions for line in _decision_lines(decision, several=several))
        yield from _counted(receipt.iterations[number - 1 : number])
    yield from _counted(receipt.iterations[len(rounds) :])
    if receipt.iterations and receipt.stopped:
        yield f"[Iteration {receipt.iterations[-1].number}] {_stop(receipt, returned)}"


def _counted(iterations: Sequence[Iteration]) -> Iterator[str]:
    for each in iterations:
        kept = each.looked_at - each.excluded
        yield f"[Iteration {each.number}] Kept {kept}, excluded {each.excluded}, {each.milliseconds:.1f} ms"


def _stop(receipt: Receipt, returned: int) -> str:
    kept = sum(decision.kept for decision in receipt.decisions)
    match receipt.stopped:
        case "Target k reached":
            return f"Target k={returned} reached ({kept} chunks)"
        case "Iteration limit reached":
            return f"Iteration limit reached ({kept} chunks)"
        case "No more results":
            return "No more results available"
    return "No exclusions, stopping"


def _decision_lines(decision: Decision, *, several: bool) -> Iterator[str]:
    title = f"{decision.title} [{decision.collection}]" if several else decision.title
    if not decision.kept:
        yield f"  ❌ EXCLUDE: {title}"
        if decision.in_words:
            yield f"     {decision.in_words}"
        yield f"     Reason: {decision.reason}"
    elif decision.reason == SATISFIED:
        yield f"  ✅ KEEP: {title}"
    else:
        yield f"  ✅ KEEP: {title} ({decision.reason})"
