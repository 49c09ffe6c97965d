"""Paired comparison of two lists of rows over the same questions, by strategy and metric."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.errors import ExperimentError
from evals.metric_table import Use, names, sign
from evals.questions.questions import QuestionKey
from evals.scored_questions import ScoredQuestion
from evals.significance import Interval, bootstrap_interval, holm, paired_randomisation

COMPARED = names(Use.COMPARED)
"""The metrics that are compared by default."""
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """One strategy compared with a baseline by one metric, over the questions that both were asked."""

    strategy: str
    metric: str
    n: int
    difference: float
    """Mean of the rows minus mean of the baseline."""
    interval: Interval
    """95 % bootstrap interval of the difference."""
    p: float
    """Two-sided, paired randomisation."""
    corrected: float
    """p after Holm's correction over all comparisons made together."""
    n_better: int
    """Number of questions on which the rows are better."""
    n_worse: int

    @property
    def behind(self) -> bool:
        """Whether the mean of the rows is worse, which may be a higher or a lower value."""
        return sign(self.metric) * self.difference < 0

    @property
    def significant(self) -> bool:
        """Whether the difference is statistically significant."""
        return self.corrected < ALPHA

    @property
    def verdict(self) -> str:
        """`better`, `worse`, or `not significantly different` if chance may explain the difference."""
        if not self.significant:
            return "not significantly different"
        return "worse" if self.behind else "better"


def compare_rows(
    rows: Sequence[ScoredQuestion], baseline: Sequence[ScoredQuestion], metrics: Sequence[str] = COMPARED
) -> tuple[Comparison, ...]:
    """Compare each strategy with itself in the baseline, over the questions of all sets that both were asked.

    Raises:
        ExperimentError: they have no question and strategy in common.
    """
    ours, theirs = _by_strategy(rows), _by_strategy(baseline)
    comparisons = [
        _comparison(strategy, metric, values)
        for strategy in ours
        for metric in metrics
        if (values := _paired_values(ours[strategy], theirs.get(strategy, {}), metric))
    ]
    if not comparisons:
        raise ExperimentError("the two experiments have no scored question and strategy in common; run both again")
    corrected = holm({f"{one.strategy}/{one.metric}": one.p for one in comparisons})
    return tuple(replace(one, corrected=corrected[f"{one.strategy}/{one.metric}"]) for one in comparisons)


def _comparison(strategy: str, metric: str, values: Sequence[tuple[float, float]]) -> Comparison:
    gains = [sign(metric) * (mine - other) for mine, other in values]
    p = paired_randomisation([mine for mine, _ in values], [other for _, other in values])
    return Comparison(
        *(strategy, metric, len(values)),
        difference=sum(mine - other for mine, other in values) / len(values),
        interval=bootstrap_interval([mine - other for mine, other in values]),
        p=p,
        corrected=p,
        n_better=sum(gain > 0 for gain in gains),
        n_worse=sum(gain < 0 for gain in gains),
    )


def _by_strategy(rows: Sequence[ScoredQuestion]) -> dict[str, dict[QuestionKey, ScoredQuestion]]:
    by_strategy: dict[str, dict[QuestionKey, ScoredQuestion]] = {}
    for row in rows:
        by_strategy.setdefault(row.strategy, {})[row.key] = row
    return by_strategy


def _paired_values(
    ours: dict[QuestionKey, ScoredQuestion], theirs: dict[QuestionKey, ScoredQuestion], metric: str
) -> list[tuple[float, float]]:
    return [
        (row.values[metric], theirs[key].values[metric])
        for key, row in ours.items()
        if key in theirs and metric in row.values and metric in theirs[key].values
    ]
