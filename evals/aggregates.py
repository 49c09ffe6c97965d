"""Means with intervals for every set, book, kind, strategy and metric, optionally as data frames.

Every number is a pooled ratio over questions, `offset + scale * sum(numerator) / sum(denominator)`: a mean has
denominators 1, `noise_reduction` is 1 minus the ratio of two sums. So one set of bootstrap draws serves all of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from evals.metric_table import report_place
from evals.noise import NO_ANSWER_ACCURACY, NOISE
from evals.questions.question_sets import QuestionSet
from evals.scored_questions import ScoredQuestion
from evals.significance import Interval, ratio_intervals, wilson_interval

if TYPE_CHECKING:
    import pandas as pd


ALL = "*"
"""Means every book, kind or strategy."""

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number with its 95 % interval. Key: all fields but the last four."""

    set: str
    split: str
    book: str
    """Slug, or `*` for all."""
    kind: str
    """Kind of question, or `*` for all."""
    strategy: str
    """Name, or `*` if the number does not depend on it."""
    metric: str
    value: float | None
    """None if the metric is undefined, because its denominator is 0."""
    low: float | None
    high: float | None
    n: int
    """Number of questions on which the number is based."""


@dataclass(frozen=True, slots=True)
class _PooledRatio:
    """A metric as a pooled ratio; `parts` gives what a row adds to numerator and denominator, None for nothing."""

    metric: str
    parts: Callable[[ScoredQuestion], tuple[float, float] | None]
    offset: float = 0.0
    scale: float = 1.0
    total: bool = False
    """Whether the sum over questions is reported instead of the ratio."""


def aggregate(rows: Sequence[ScoredQuestion]) -> tuple[Aggregate, ...]:
    """Return all numbers of these rows, in the order set, book, kind (`*` first), strategy (as in `rows`), metric.

    Questions without gold only count in `no_answer_accuracy` and the noise metrics.
    """
    by_strategy = _grouped(rows, lambda row: row.strategy)
    numbers: list[Aggregate] = []
    for (name, split), members in _grouped(rows, lambda row: (row.set, row.split)).items():
        for book, kind in _cells((row.book, row.kind) for row in members):
            chosen = [row for row in members if book in {ALL, row.book} and kind in {ALL, row.kind}]
            for strategy in by_strategy:
                own = [row for row in chosen if row.strategy == strategy]
                numbers += _numbers(own, name, split, book, kind, strategy)
    return tuple(numbers)


def evaluability(sets: Iterable[QuestionSet]) -> tuple[Aggregate, ...]:
    """Return the share of questions with gold whose anchors all resolve, by set, book and kind, with strategy `*`."""
    numbers: list[Aggregate] = []
    for question_set in sets:
        questions = [question for question in question_set.questions if question.gold]
        for book, kind in _cells((question.book or "", question.kind) for question in questions):
            chosen = [
                question
                for question in questions
                if book in {ALL, question.book or ""} and kind in {ALL, question.kind}
            ]
            resolved = np.array([[float(question.id in question_set.resolution.gold)] for question in chosen])
            (interval,) = ratio_intervals(resolved, np.ones_like(resolved))
            labels = (question_set.name, question_set.split, book, kind, ALL, "evaluability")
            numbers.append(_aggregate(labels, float(resolved.mean()), interval, len(chosen)))
    return tuple(numbers)


def timings(rows: Sequence[ScoredQuestion]) -> tuple[Aggregate, ...]:
    """Return `p50_ms` and `p95_ms` of the k = 15 retrievals by set and strategy, and `round_ms` if there are rounds.

    They differ from run to run.
    """
    numbers = []
    for (name, split, strategy), members in _grouped(rows, lambda row: (row.set, row.split, row.strategy)).items():
        times = [row.milliseconds for row in members]
        by_round = [row.milliseconds / row.values["rounds"] for row in members if row.values.get("rounds")]
        for metric, share, measured in (("round_ms", 0.5, by_round), ("p50_ms", 0.5, times), ("p95_ms", 0.95, times)):
            if measured:
                value = float(np.quantile(measured, share))
                numbers.append(Aggregate(name, split, ALL, ALL, strategy, metric, value, None, None, len(measured)))
    return tuple(numbers)


def _numbers(rows: Sequence[ScoredQuestion], *labels: str) -> list[Aggregate]:
    if not rows:
        return []
    estimates = _estimates(rows)
    parts = [[estimate.parts(row) for estimate in estimates] for row in rows]
    counted = [sum(line[column] is not None for line in parts) for column in range(len(estimates))]
    above, below = (np.array([[part[side] if part else 0.0 for part in line] for line in parts]) for side in (0, 1))
    numbers = []
    for estimate, top, bottom, drawn, count in zip(
        estimates, above.sum(axis=0), below.sum(axis=0), ratio_intervals(above, below), counted, strict=True
    ):
        interval = wilson_interval(round(float(top)), count) if _is_share(estimate.metric) else drawn
        scale = count if estimate.total else estimate.scale
        value = estimate.offset + scale * float(top / bottom) if bottom else None
        numbers.append(_aggregate((*labels, estimate.metric), value, _scaled(interval, estimate.offset, scale), count))
    return numbers


def _estimates(rows: Sequence[ScoredQuestion]) -> list[_PooledRatio]:
    """Return the metrics that are defined for at least one of the rows."""
    means = dict.fromkeys(name for row in rows for name in row.values)
    estimates = [_PooledRatio(name, _mean_part(name)) for name in means]
    if any(row.unfiltered_noise is not None for row in rows):
        estimates.append(_PooledRatio("noise_reduction", _noise_parts, offset=1.0, scale=-1.0))
    if any(row.unfiltered_recall is not None and row.gold for row in rows):
        estimates.append(_PooledRatio("recall_preserved", _recall_parts))
    if any(row.gold for row in rows):
        estimates.append(_PooledRatio("false_exclusions", _exclusion_parts, total=True))
    return sorted(estimates, key=lambda estimate: report_place(estimate.metric))


def _is_share(metric: str) -> bool:
    """Whether a metric is 1 or 0 for each question. The bootstrap interval of a share of 1 would have no width."""
    return metric.startswith("hit@") or metric == NO_ANSWER_ACCURACY


def _mean_part(name: str) -> Callable[[ScoredQuestion], tuple[float, float] | None]:
    return lambda row: (row.values[name], 1.0) if name in row.values else None


def _noise_parts(row: ScoredQuestion) -> tuple[float, float] | None:
    """Pooled: in a mean of ratios by question, those with one noisy chunk would dominate."""
    return None if row.unfiltered_noise is None else (row.values[NOISE], row.unfiltered_noise)


def _recall_parts(row: ScoredQuestion) -> tuple[float, float] | None:
    return None if row.unfiltered_recall is None else (row.values["recall@10"], row.unfiltered_recall)


def _exclusion_parts(row: ScoredQuestion) -> tuple[float, float] | None:
    return (float(len(row.excluded_gold)), 1.0) if row.gold else None


def _aggregate(labels: tuple[str, ...], value: float | None, interval: Interval | None, count: int) -> Aggregate:
    name, split, book, kind, strategy, metric = labels
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Aggregate(name, split, book, kind, strategy, metric, value, low, high, count)


def _scaled(interval: Interval | None, offset: float, scale: float) -> Interval | None:
    if interval is None:
        return None
    ends = sorted((offset + scale * interval.low, offset + scale * interval.high))
    return Interval(ends[0], ends[1])


def _cells(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return every (book, kind) to report, `*` first; a question about no book only counts in `*`."""
    present = set(pairs)
    books = [ALL, *sorted({book for book, _ in present} - {""})]
    kinds = [ALL, *sorted({kind for _, kind in present})]
    return [
        (book, kind)
        for book in books
        for kind in kinds
        if any(book in {ALL, own_book} and kind in {ALL, own_kind} for own_book, own_kind in present)
    ]


def _grouped(rows: Iterable[ScoredQuestion], key: Callable[[ScoredQuestion], _Key]) -> dict[_Key, list[ScoredQuestion]]:
    groups: dict[_Key, list[ScoredQuestion]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


Frame: TypeAlias = "pd.DataFrame"

_TEXTS = ("set", "split", "strategy", "book", "kind", "question_id", "query", "why")
_NUMBERS = ("unfiltered_noise", "unfiltered_guarded_noise", "unfiltered_recall", "milliseconds")


def question_frame(rows: Sequence[ScoredQuestion]) -> Frame:
    """Return a line for each question and strategy, in the order of the rows.

    Key: (set, split, strategy, question_id).

    Columns: `set split strategy book kind question_id query why` (text; `book` is empty for a question about none),
    `n_gold n_shown` (whole numbers: gold chunks, and hits for k = 15), then floats: one for each metric that a row
    has, in the order of reports, `false_exclusions` (gold chunks that the filter excluded),
    `unfiltered_noise unfiltered_guarded_noise unfiltered_recall` of the same strategy without query_must, and
    `milliseconds`. NaN means that a metric is undefined for the question, which differs from 0.
    """
    metrics = sorted({name for row in rows for name in row.values}, key=lambda name: (report_place(name), name))
    return _frame(
        {
            **{name: ("str", [getattr(row, name) for row in rows]) for name in _TEXTS},
            "n_gold": ("int64", [len(row.gold) for row in rows]),
            "n_shown": ("int64", [len(row.chunk_ids) for row in rows]),
            **{name: ("float64", [row.values.get(name) for row in rows]) for name in metrics},
            "false_exclusions": ("float64", [len(row.excluded_gold) if row.gold else None for row in rows]),
            **{name: ("float64", [getattr(row, name) for row in rows]) for name in _NUMBERS},
        }
    )


def aggregate_frame(aggregates: Sequence[Aggregate]) -> Frame:
    """Return a line for each number. Key: (set, split, book, kind, strategy, metric); `*` in a key means all.

    `value low high` are floats, NaN if the metric is undefined or has no interval; `n` is a whole number.
    """
    types = {"value": "float64", "low": "float64", "high": "float64", "n": "int64"}
    names = Aggregate.__dataclass_fields__
    return _frame(
        {name: (types.get(name, "str"), [getattr(aggregate, name) for aggregate in aggregates]) for name in names}
    )


def _frame(columns: Mapping[str, tuple[str, Sequence[Any]]]) -> Frame:
    import pandas as pd

    return pd.DataFrame({name: pd.Series(values, dtype=dtype) for name, (dtype, values) in columns.items()})


_DIGITS = 6
"""Digits of stored numbers: more than readers need, but without the last bits, in which machines differ."""


def flat_records(aggregates: Iterable[Aggregate]) -> list[dict[str, Any]]:
    """Return `{set, split, book, kind, strategy, metric, value, low, high, n}` for each, with rounded values."""
    return [
        asdict(number) | {name: _rounded(getattr(number, name)) for name in ("value", "low", "high")}
        for number in aggregates
    ]


def _rounded(value: float | None) -> float | None:
    # adding 0.0 turns -0.0 into 0.0: the two are equal and must print alike
    return None if value is None else round(value, _DIGITS) + 0.0
