"""The receipt of a search: scores as sums, decisions, and a transcript of rounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.predicate import SATISFIED, UNRESTRICTED, explain
from retrieval.query_must.refusal import refusal
from retrieval.search.fusion import Ranking
from retrieval.search.iterative import IterativeOutcome
from retrieval.search.query import Query
from retrieval.strategy import Strategy
from retrieval.types import Addend, Chunk, Decision, Hit, Iteration, Receipt, Retrieval

DIGITS = 4
"""Decimals of values, weights, contributions and scores."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A score and its addends."""

    score: float
    addends: Sequence[Addend]
    measured: Mapping[str, float]
    """Values before they were scaled, as in `Hit.evidence`."""

    def line(self) -> str:
        """Return the sum on one line; addends of zero are left out."""
        terms = (
            f"{_number(addend.contribution)} {addend.name} ({_number(addend.value)} x {_number(addend.weight)})"
            for addend in self._counting()
        )
        return f"{_number(self.score)} = {' + '.join(terms) or '0'}"

    def lines(self) -> tuple[str, ...]:
        """Return a line for each addend, then the sum, then the names of addends of zero."""
        counting = self._counting()
        width = max((len(addend.name) for addend in counting), default=0)
        width = max(width, len("sum"))
        silent = ", ".join(addend.name for addend in self.addends if addend not in counting)
        rows = [
            f"{addend.name:<{width}}  {_number(addend.value):>8} x {_number(addend.weight):>7} = "
            f"{_number(addend.contribution):>8}{self._before_scaling(addend)}"
            for addend in counting
        ]
        rows.append(f"{'sum':<{width}}  {'= ':>20}{_number(self.score):>8}")
        return (*rows, f"nothing from {silent}") if silent else tuple(rows)

    def _counting(self) -> list[Addend]:
        return [addend for addend in self.addends if addend.contribution]

    def _before_scaling(self, addend: Addend) -> str:
        raw = self.measured.get(addend.name, addend.value)
        return "" if _number(raw) == _number(addend.value) else f"  (measured {_number(raw)}, then scaled)"


def _number(value: float) -> str:
    return f"{value:.{DIGITS}f}"


FILTER_IS_OFF = "filter is off"


def decisions_of(
    ranking: Ranking, hits: Sequence[Hit], question: Query, snapshot: Snapshot, strategy: Strategy
) -> tuple[Decision, ...]:
    """Return decisions on the hits in rank order, then on the chunks that a predicate displaced from among them."""
    kept = [Decision(hit.chunk.id, hit.chunk.title, True, _kept_because(hit.chunk, strategy, question)) for hit in hits]
    displaced = [
        snapshot.chunks[int(position)] for position in (() if ranking.displaced is None else ranking.displaced)
    ]
    excluded = [
        Decision(
            chunk.id,
            chunk.title,
            False,
            explain(question.canonical, chunk.query_must),
            in_words=refusal(question.text, question.canonical, chunk.query_must, chunk),
        )
        for chunk in displaced
    ]
    return (*kept, *excluded)


def _kept_because(chunk: Chunk, strategy: Strategy, question: Query) -> str:
    if chunk.query_must is None:
        return UNRESTRICTED
    return FILTER_IS_OFF if strategy.query_must == "off" else explain(question.canonical, chunk.query_must)


def debug_lines(of: Retrieval | IterativeOutcome) -> tuple[str, ...]:
    """Return lines with every decision and its reason, the rounds and why they ended, the time of each stage, and the
    sums of scores.

    A search of foreign collections has distances instead of sums, so it has no `[SCORE]`.
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
        yield "[FINAL] Excluded chunks were not counted; use debug"
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
    for iteration in iterations:
        kept = iteration.looked_at - iteration.excluded
        counts = f"Kept {kept}, excluded {iteration.excluded}"
        yield f"[Iteration {iteration.number}] {counts}, {iteration.milliseconds:.1f} ms"


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
