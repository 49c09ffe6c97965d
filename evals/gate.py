"""May a candidate index go live? A decision with its reasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.errors import ExperimentError
from evals.experiment import Experiment
from evals.noise import NOISE
from evals.statistics.aggregates import ALL, Aggregate
from evals.statistics.comparison import COMPARED, compare_experiments

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the gate asks for besides no gold excluded."""

    evaluability: float = 0.95
    """Least share of the questions with gold whose every anchor resolves, in every set."""
    metrics: tuple[str, ...] = COMPARED
    """On none of these may a strategy be significantly worse than live."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that stands against promotion; `str(reason)` says all of it."""

    check: str
    strategy: str
    """Name, or `*` if no strategy is at fault."""
    message: str
    question_ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = ", ".join(self.question_ids[:_NAMED])
        more = len(self.question_ids) - _NAMED
        questions = f" ({shown}{f' and {more} more' if more > 0 else ''})" if shown else ""
        return f"{self.check}, {self.strategy}: {self.message}{questions}"


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether the candidate may go live, and everything that stands against it."""

    passed: bool
    reasons: tuple[Reason, ...]


def decide(candidate: Experiment, live: Experiment | None, thresholds: Thresholds = Thresholds()) -> GateDecision:
    """Judge a candidate by its experiment and that of the live index (None: nothing is live yet).

    It passes if no filter excluded a gold chunk, evaluability is above the floor in every set, every filter that had
    guarded noise to remove lessened it, and no strategy is significantly worse than live (paired randomisation over the
    questions both were asked, Holm-corrected over all strategies, sets and metrics).
    """
    reasons = [
        *_excluding(candidate),
        *_unevaluable(candidate, thresholds.evaluability),
        *_noisy(candidate),
        *(_worse(candidate, live, thresholds.metrics) if live else ()),
    ]
    return GateDecision(not reasons, tuple(reasons))


def _excluding(candidate: Experiment) -> Iterable[Reason]:
    for strategy in candidate.strategies:
        rows = [row for row in candidate.rows if row.strategy == strategy and row.excluded_gold]
        if rows:
            count = sum(len(row.excluded_gold) for row in rows)
            message = f"the filter excluded {count} gold chunks; false_exclusions must be 0"
            yield Reason("false_exclusions", strategy, message, tuple(row.question_id for row in rows))


def _unevaluable(candidate: Experiment, floor: float) -> Iterable[Reason]:
    for each in _whole(candidate.aggregates, "evaluability"):
        if each.value is None or each.value < floor:
            stale = [one.question_id for one in candidate.unscored if (one.set, one.split) == (each.set, each.split)]
            message = (
                f"{each.value or 0:.3f} of set {each.set}, split {each.split}, is below {floor:.3f}: gold is stale"
            )
            yield Reason("evaluability", ALL, message, tuple(stale))


def _noisy(candidate: Experiment) -> Iterable[Reason]:
    for each in _whole(candidate.aggregates, "noise_reduction"):
        place = (each.set, each.split, each.strategy)
        rows = [row for row in candidate.rows if (row.set, row.split, row.strategy) == place]
        removable = sum(row.unfiltered_guarded_noise or 0.0 for row in rows)
        if each.value is not None and (each.value < 0 or (each.value == 0 and removable)):
            noisy = [row.question_id for row in rows if row.values[NOISE] >= (row.unfiltered_noise or 0.0) > 0]
            message = (
                f"noise_reduction is {each.value:.3f} in set {each.set}, split {each.split}, "
                f"where {removable:.0f} guarded chunks were noise without the filter; it must be above 0"
            )
            yield Reason("noise_reduction", each.strategy, message, tuple(noisy))


def _worse(candidate: Experiment, live: Experiment, metrics: Sequence[str]) -> Iterable[Reason]:
    try:
        comparisons = compare_experiments(candidate, live, metrics)
    except ExperimentError as error:
        yield Reason("not_worse_than_live", ALL, str(error))
        return
    for each in comparisons:
        if each.behind and each.significant:
            side = "below" if each.difference < 0 else "above"
            message = (
                f"{each.metric} of set {each.set}, split {each.split}, is {abs(each.difference):.3f} {side} live "
                f"over {each.n} questions (p {each.corrected:.4f})"
            )
            yield Reason("not_worse_than_live", each.strategy, message, each.worse)


def _whole(aggregates: Iterable[Aggregate], metric: str) -> list[Aggregate]:
    return [each for each in aggregates if each.metric == metric and each.book == each.kind == ALL]
