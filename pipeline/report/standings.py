"""The scores of each strategy, and its differences from the shipped one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from evals.acceptance import rank_or_infinity
from evals.aggregates import ALL, Aggregate
from evals.evaluation import SHIPPED, Evaluation
from evals.experiment import counterpart_among
from evals.failures import FailedQuestion
from evals.metric_table import Use, names
from evals.noise import NOISE
from evals.scored_questions import ScoredQuestion
from evals.significant_changes import Comparison, compare_rows
from retrieval.search.strategies import STRATEGIES, strategy


def _differences_to_shipped(rows: Sequence[ScoredQuestion]) -> tuple[Comparison, ...]:
    """Return every other strategy minus the shipped one; empty if there is no other, or that was not scored."""
    others = [row for row in rows if row.strategy != SHIPPED]
    own = [row for row in rows if row.strategy == SHIPPED and row.gold]
    if not own or not others:
        return ()
    names = dict.fromkeys(row.strategy for row in others)
    return compare_rows(others, [replace(row, strategy=name) for name in names for row in own])


HEATED = names(Use.BY_KIND)
"""Metrics of the tables by kind and by book."""
RANKED_LOWER = "the gold was merely ranked lower"
EXCLUDED = "the filter excluded gold"
"""Beginning of the sentence of `evals.failures` about this cause."""


@dataclass(frozen=True, slots=True)
class Filtering:
    """A strategy compared with the same one without query_must, over the questions that both were asked."""

    counterpart: str
    noise: float
    """Mean of `noise@15` with the filter."""
    unfiltered_noise: float
    guarded_noise: float
    """The part of `unfiltered_noise` that has a predicate, so that a filter can remove it."""
    reduction: Aggregate | None
    recall_preserved: Aggregate | None
    n_excluded: int
    """Number of gold chunks that the filter excluded; must be 0."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The scores and failures of one strategy. Key: strategy."""

    strategy: str
    numbers: tuple[Aggregate, ...]
    """The numbers of `Evaluation.breakdown`: for all questions, by kind, and by book."""
    filtering: Filtering | None
    """None if it does not filter."""
    p50_ms: float | None
    p95_ms: float | None
    """Both None on a page without times."""
    causes: Mapping[str, int]
    """Number of questions that fail `hit@1`, by cause; a question with two causes counts for both."""
    failed: tuple[str, ...]
    """Ids of the questions that fail `hit@1`: excluded gold first, then by descending rank of the gold."""
    n_asked: int
    """Number of questions with gold."""

    @property
    def n_failed(self) -> int:
        """The number of questions that fail."""
        return len(self.failed)

    def number(self, metric: str, book: str = ALL, kind: str = ALL) -> Aggregate | None:
        """Return one number with its interval; None if nothing was measured."""
        numbers = (
            number for number in self.numbers if (number.metric, number.book, number.kind) == (metric, book, kind)
        )
        return next(numbers, None)


@dataclass(frozen=True, slots=True)
class Standings:
    """The strategies side by side: the shipped one first, so that a narrow page shows it, then the others in order."""

    strategies: tuple[Standing, ...]
    differences: tuple[Comparison, ...]
    """Every other strategy minus `default`."""

    @property
    def shipped(self) -> Standing | None:
        """The strategy that readers get; None if it was not scored."""
        return next((strategy for strategy in self.strategies if strategy.strategy == SHIPPED), None)

    @property
    def best(self) -> Standing:
        """The strategy with the highest `mrr`; of several the shipped one, or else the first by name."""
        return min(
            self.strategies,
            key=lambda strategy: (-_value(strategy, "mrr"), strategy.strategy != SHIPPED, strategy.strategy),
        )

    def places(self, what: str) -> tuple[str, ...]:
        """Return the kinds (`kind`) or books (`book`) that have numbers, in order, without `*`."""
        return tuple(
            dict.fromkeys(name for strategy in self.strategies for name in _names(strategy, what) if name != ALL)
        )


def standings_of(evaluation: Evaluation, failed: Sequence[FailedQuestion], *, times: bool) -> Standings:
    """Return the standings of the strategies of an evaluation over the rows of its headline."""
    rows, headline = evaluation.headline_rows(), evaluation.headline()
    standings = []
    for name, numbers in headline.items():
        own = [row for row in rows if row.strategy == name]
        breakdown = evaluation.breakdown(name)
        failures = [failure for failure in failed if failure.row.strategy == name]
        standings.append(
            Standing(
                strategy=name,
                numbers=breakdown,
                filtering=_filtering(name, own, breakdown),
                p50_ms=numbers.get("p50_ms") if times else None,
                p95_ms=numbers.get("p95_ms") if times else None,
                causes=_causes(failures),
                failed=tuple(failure.row.question_id for failure in sorted(failures, key=_worst_first)),
                n_asked=sum(bool(row.gold) for row in own),
            )
        )
    standings.sort(key=lambda standing: standing.strategy != SHIPPED)
    return Standings(tuple(standings), _differences_to_shipped(rows))


def _filtering(name: str, rows: Sequence[ScoredQuestion], numbers: Sequence[Aggregate]) -> Filtering | None:
    counterpart = counterpart_among(STRATEGIES.values())(strategy(name))
    compared = [row for row in rows if row.unfiltered_noise is not None]
    if counterpart is None or not compared:
        return None
    whole = {number.metric: number for number in numbers if number.book == number.kind == ALL}
    return Filtering(
        counterpart=counterpart.name,
        noise=fmean(row.values[NOISE] for row in compared),
        unfiltered_noise=fmean(row.unfiltered_noise or 0.0 for row in compared),
        guarded_noise=fmean(row.unfiltered_guarded_noise or 0.0 for row in compared),
        reduction=whole.get("noise_reduction"),
        recall_preserved=whole.get("recall_preserved"),
        n_excluded=sum(len(row.excluded_gold) for row in rows),
    )


def _causes(failed: Sequence[FailedQuestion]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for failure in failed:
        counted.update({EXCLUDED if why.startswith(EXCLUDED) else why for why in failure.why or (RANKED_LOWER,)})
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))


def _worst_first(failure: FailedQuestion) -> tuple[bool, float, str]:
    return not failure.row.excluded_gold, -rank_or_infinity(failure.row.gold_rank), failure.row.question_id


def _names(standing: Standing, what: str) -> list[str]:
    other = "book" if what == "kind" else "kind"
    return [getattr(number, what) for number in standing.numbers if getattr(number, other) == ALL]


def _value(standing: Standing, metric: str) -> float:
    number = standing.number(metric)
    return 0.0 if number is None or number.value is None else number.value
