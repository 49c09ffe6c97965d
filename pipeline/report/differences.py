"""Two sets of rows over the same questions, pooled over their sets: how far apart, how sure, and on which questions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.aggregates import ALL
from evals.comparison import COMPARED, Comparison, compare_experiments
from evals.experiment import Experiment
from evals.questions.question_sets import Unscored
from evals.scored_questions import ScoredQuestion
from evals.significance import Interval, bootstrap_interval

BETWEEN = "\t"
"""In the key of a pooled question, between set, split and id; no name of a set holds it."""


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """A comparison with the 95 % interval of its difference. Key: (strategy, metric)."""

    comparison: Comparison
    """Its ids of questions are keys: see `question_key`."""
    interval: Interval | None

    @property
    def verdict(self) -> str:
        """`better`, `worse`, or `not told apart` where chance may explain the difference."""
        if not self.comparison.significant:
            return "not told apart"
        return "worse" if self.comparison.behind else "better"


def question_key(row: ScoredQuestion | Unscored) -> str:
    """What tells a question from all others, of other sets too."""
    return BETWEEN.join((row.set, row.split, row.question_id))


def differences(
    left: Sequence[ScoredQuestion], right: Sequence[ScoredQuestion], metrics: Sequence[str] = COMPARED
) -> tuple[MetricDifference, ...]:
    """Left minus right, strategy by strategy; p values are Holm-corrected over all that come back.

    Raises:
        ExperimentError: no strategy was asked the same question on both sides.
    """
    ours, theirs = _pooled(left), _pooled(right)
    compared = compare_experiments(_experiment(ours), _experiment(theirs), metrics)
    return tuple(MetricDifference(each, _interval(each, ours, theirs)) for each in compared)


def differences_to(shipped: str, rows: Sequence[ScoredQuestion]) -> tuple[MetricDifference, ...]:
    """Every other strategy minus `shipped`; nothing where there is no other, or `shipped` was not scored."""
    others = [row for row in rows if row.strategy != shipped]
    own = [row for row in rows if row.strategy == shipped and row.gold]
    if not own or not others:
        return ()
    names = dict.fromkeys(row.strategy for row in others)
    return differences(others, [replace(row, strategy=name) for name in names for row in own])


def _pooled(rows: Sequence[ScoredQuestion]) -> list[ScoredQuestion]:
    return [replace(row, set=ALL, split=ALL, question_id=question_key(row)) for row in rows]


def _experiment(rows: Sequence[ScoredQuestion]) -> Experiment:
    return Experiment("", tuple(rows), (), (), ())


def _interval(compared: Comparison, left: Sequence[ScoredQuestion], right: Sequence[ScoredQuestion]) -> Interval | None:
    ours, theirs = (
        {row.question_id: row.values[compared.metric] for row in rows if _counts(row, compared)}
        for rows in (left, right)
    )
    return bootstrap_interval([value - theirs[name] for name, value in ours.items() if name in theirs])


def _counts(row: ScoredQuestion, compared: Comparison) -> bool:
    return row.strategy == compared.strategy and compared.metric in row.values
