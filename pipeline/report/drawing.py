"""Coordinates of the small charts; the templates draw them as inline SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.aggregates import Aggregate
from evals.metric_table import sign
from evals.significant_changes import Comparison
from pipeline.report.history import Scored

WIDTH, HEIGHT = 320, 120
"""Size of a trend, in units of its own."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 12, 10, 22


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """An interval and its value on a scale of 0 to 100; `zero` is where 0 lies."""

    low: float
    at: float
    high: float
    zero: float


@dataclass(frozen=True, slots=True)
class Point:
    """One snapshot in a trend."""

    x: float
    y: float
    low: float
    high: float
    scored: Scored
    number: Aggregate


@dataclass(frozen=True, slots=True)
class Trend:
    """One metric over the snapshots, in units of `WIDTH` and `HEIGHT`."""

    metric: str
    points: tuple[Point, ...]
    bottom: float
    """The value at the lower line: the least end of an interval, so that small changes are visible."""
    top: float
    """The value at the upper line."""

    @property
    def line(self) -> str:
        """The points of a polyline."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)


def bars(numbers: Sequence[Aggregate | None]) -> tuple[IntervalBar | None, ...]:
    """Return a bar for each number on one scale from 0 to 1, extended to the lowest and the highest end."""
    whole = [number for number in numbers if number is not None and number.value is not None]
    ends = [end for number in whole for end in (number.value, number.low, number.high) if end is not None]
    low, high = min([0.0, *ends]), max([1.0, *ends])
    return tuple(_bar(number, low, high) if number in whole else None for number in numbers)


def difference_bars(differences: Sequence[Comparison]) -> tuple[IntervalBar, ...]:
    """Return bars on one scale with 0 in the middle."""
    ends = [(change.interval.low, change.difference, change.interval.high) for change in differences]
    reach = max((abs(end) for triple in ends for end in triple), default=0.0)
    return tuple(IntervalBar(*(_on(end, -reach, reach) for end in (*triple, 0.0))) for triple in ends)


def heat(number: Aggregate | None, numbers: Sequence[Aggregate | None]) -> int:
    """Return 0 to 100 (best), for a colour behind a number: its place from 0 to 1, or to the ends of its table."""
    values = [number.value for number in numbers if number is not None and number.value is not None]
    if number is None or number.value is None:
        return 0
    low, high = min([0.0, *values]), max([1.0, *values])
    share = (number.value - low) / (high - low)
    return round(100 * (share if sign(number.metric) > 0 else 1 - share))


def trend(metric: str, scored: Sequence[Scored]) -> Trend:
    """Return the trend of one metric; snapshots without a value are omitted."""
    numbered = [(snapshot, number) for snapshot in scored for number in snapshot.numbers if number.metric == metric]
    known = [(snapshot, number, number.value) for snapshot, number in numbered if number.value is not None]
    ends = [end for _, number, value in known for end in (number.low, value, number.high) if end is not None]
    bottom, top = min(ends, default=0.0), max(ends, default=1.0)
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(known) - 1)
    points = []
    for position, (snapshot, number, value) in enumerate(known):
        low = value if number.low is None else number.low
        high = value if number.high is None else number.high
        x = round(_LEFT + position * step, 1) if len(known) > 1 else WIDTH / 2
        y, below, above = (_height(end, bottom, top) for end in (value, low, high))
        points.append(Point(x, y, below, above, snapshot, number))
    return Trend(metric, tuple(points), bottom, top)


def _height(value: float, bottom: float, top: float) -> float:
    share = (value - bottom) / (top - bottom) if top > bottom else 0.5
    return round(_TOP + (1 - share) * (HEIGHT - _TOP - _BOTTOM), 1)


def _bar(number: Aggregate, low: float, high: float) -> IntervalBar:
    value = number.value or 0.0
    ends = (value if number.low is None else number.low, value, value if number.high is None else number.high)
    return IntervalBar(*(_on(end, low, high) for end in (*ends, 0.0)))


def _on(value: float, low: float, high: float) -> float:
    return round(100 * (value - low) / (high - low), 1) if high > low else 50.0
