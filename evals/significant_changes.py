"""Paired comparison of two experiments over the same questions, by set, strategy and metric."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.errors import ExperimentError
from evals.experiment import Experiment
from evals.metric_table import Use, names, sign
from evals.scored_questions import ScoredQuestion
from evals.significance import holm, paired_randomisation

COMPARED = names(Use.COMPARED)
"""The metrics that are compared by default."""
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """One strategy in two experiments by one metric, over the questions that both asked."""

    set: str
    split: str
    strategy: str
    metric: str
    n: int
    difference: float
    """Mean of the experiment minus mean of the baseline."""
    p: float
    """Two-sided, paired randomisation."""
    corrected: float
    """p after Holm's correction over all comparisons made together."""
    better: tuple[str, ...]
    """Ids of questions on which the experiment is better."""
    worse: tuple[str, ...]

    @property
    def behind(self) -> bool:
        """Whether the experiment's mean is worse, which may be a higher or a lower value."""
        return sign(self.metric) * self.difference < 0

    @property
    def significant(self) -> bool:
        """Whether the difference is statistically significant."""
        return self.corrected < ALPHA


def compare_experiments(
    experiment: Experiment, baseline: Experiment, metrics: Sequence[str] = COMPARED
) -> tuple[Comparison, ...]:
    """Compare each strategy that both experiments ran with itself, over the questions that both asked.

    Raises:
        ExperimentError: they have no question and strategy in common.
    """
    shared = [name for name in experiment.strategies if name in baseline.strategies]
    comparisons = _compared(experiment.rows, baseline.rows, shared, metrics)
    if not comparisons:
        raise ExperimentError("the two experiments have no scored question and strategy in common; run both again")
    return comparisons


def _compared(
    rows: Sequence[ScoredQuestion],
    baseline: Sequence[ScoredQuestion],
    strategies: Sequence[str],
    metrics: Sequence[str],
) -> tuple[Comparison, ...]:
    ours, theirs = _by_place(rows), _by_place(baseline)
    comparisons: dict[str, Comparison] = {}
    for (name, split), strategy, metric in [
        (label, strategy, metric)
        for label in dict.fromkeys((row.set, row.split) for row in rows)
        for strategy in strategies
        for metric in metrics
    ]:
        mine = ours.get((name, split, strategy), {})
        other = theirs.get((name, split, strategy), {})
        shared = [
            question_id
            for question_id in mine
            if question_id in other and metric in mine[question_id].values and metric in other[question_id].values
        ]
        if shared:
            values = [(mine[question_id].values[metric], other[question_id].values[metric]) for question_id in shared]
            comparisons[f"{name}/{split}/{strategy}/{metric}"] = Comparison(
                *(name, split, strategy, metric, len(shared)),
                difference=sum(a - b for a, b in values) / len(shared),
                p=(p := paired_randomisation([a for a, _ in values], [b for _, b in values])),
                corrected=p,
                better=tuple(
                    question_id
                    for question_id, (a, b) in zip(shared, values, strict=True)
                    if sign(metric) * (a - b) > 0
                ),
                worse=tuple(
                    question_id
                    for question_id, (a, b) in zip(shared, values, strict=True)
                    if sign(metric) * (a - b) < 0
                ),
            )
    corrected = holm({name: comparison.p for name, comparison in comparisons.items()})
    return tuple(replace(comparison, corrected=corrected[name]) for name, comparison in comparisons.items())


def _by_place(rows: Sequence[ScoredQuestion]) -> dict[tuple[str, str, str], dict[str, ScoredQuestion]]:
    places: dict[tuple[str, str, str], dict[str, ScoredQuestion]] = {}
    for row in rows:
        places.setdefault((row.set, row.split, row.strategy), {})[row.question_id] = row
    return places
