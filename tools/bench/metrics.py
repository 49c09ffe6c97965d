"""Our metrics against pytrec_eval's, through ir_measures: the same numbers, and the time that they take.

ir_measures belongs to the dev extra; this is the only file of the package that imports it.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from evals.metrics import DEPTH, SHOWN, STANDARD, judge
from retrieval.files.clock import Clock
from tools.bench.extra import require_extra

CHUNKS = 5_000

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class MetricsReport:
    """One run. Key: (questions, seed)."""

    questions: int
    seed: int
    metrics: tuple[str, ...]
    ours_seconds: float
    theirs_seconds: float
    """With the run and the qrels already as the dictionaries that it reads."""
    largest_difference: float
    """Between the two means of one metric."""

    def lines(self) -> tuple[str, ...]:
        """For a person to read."""
        return (
            f"{self.questions} questions, {DEPTH} hits each, {len(self.metrics)} metrics: {', '.join(self.metrics)}",
            f"ours         {self.ours_seconds:.2f} s",
            f"pytrec_eval  {self.theirs_seconds:.2f} s",
            f"largest difference of a mean {self.largest_difference:.1e}",
        )


def run_metrics(questions: int = 10_000, seed: int = 0) -> MetricsReport:
    """Score random rankings both ways.

    Raises:
        MissingExtraError: ir_measures is not installed.
    """
    measures = _measures()
    rankings, gold = _random_run(questions, seed)
    ours, our_seconds = _timed(lambda: _our_means(rankings, gold))
    qrels = {name: dict.fromkeys(ids, 1) for name, ids in gold.items()}
    deep = {name: {chunk: float(-rank) for rank, chunk in enumerate(ids)} for name, ids in rankings.items()}
    shown = {name: dict(list(scores.items())[:SHOWN]) for name, scores in deep.items()}
    theirs, their_seconds = _timed(lambda: _their_means(measures, qrels, deep, shown))
    difference = max(abs(ours[name] - theirs[name]) for name in ours)
    return MetricsReport(questions, seed, tuple(ours), our_seconds, their_seconds, difference)


def _measures() -> Mapping[str, Any]:
    require_extra("ir_measures")
    from ir_measures import RR, P, R, SetF, Success, nDCG

    return {
        **{f"hit@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10)},
        "mrr": RR,
        "ndcg@10": nDCG @ 10,
        "recall@10": R @ 10,
        "precision@15": P @ 15,
        "f1": SetF,
    }


def _random_run(questions: int, seed: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    rng = random.Random(seed)
    chunks = [f"chunk{number:05}" for number in range(CHUNKS)]
    rankings, gold = {}, {}
    for number in range(questions):
        name = f"q{number}"
        rankings[name] = rng.sample(chunks, DEPTH)
        answers = rng.sample(rankings[name][:30], rng.randint(1, 2))
        gold[name] = [*answers, *({rng.choice(chunks)} - set(answers))]
    return rankings, gold


def _our_means(rankings: Mapping[str, list[str]], gold: Mapping[str, list[str]]) -> dict[str, float]:
    totals = dict.fromkeys((each.name for each in STANDARD), 0.0)
    for name, ranking in rankings.items():
        judgement = judge(ranking, gold[name])
        for each in STANDARD:
            totals[each.name] += each(judgement)
    return {name: total / len(rankings) for name, total in totals.items()}


def _their_means(measures: Mapping[str, Any], qrels: Any, deep: Any, shown: Any) -> dict[str, float]:
    import ir_measures

    of_deep = {name: measure for name, measure in measures.items() if name != "f1"}
    calc_aggregate = ir_measures.pytrec_eval.calc_aggregate(list(of_deep.values()), qrels, deep)
    calc_aggregate |= ir_measures.pytrec_eval.calc_aggregate([measures["f1"]], qrels, shown)
    return {name: float(calc_aggregate[measure]) for name, measure in measures.items()}


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    clock = Clock()
    result = work()
    return result, clock.seconds
