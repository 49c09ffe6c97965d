"""Where the lines of the small charts go."""

from datetime import UTC, datetime

import pytest

from evals.aggregates import Aggregate
from pipeline.report.drawing import HEIGHT, bars, heat, trend
from pipeline.report.history import Scored


def number(value: float | None, low: float, high: float, metric: str = "mrr") -> Aggregate:
    return Aggregate("*", "*", "*", "*", "default", metric, value, low, high, 10)


def scored(snapshot: str, aggregate: Aggregate) -> Scored:
    return Scored(snapshot, datetime(2026, 1, 1, tzinfo=UTC), 10, (aggregate,))


def test_bars_of_one_metric_share_a_scale_from_0_to_1_or_as_far_as_numbers_reach() -> None:
    first, missing, undefined = bars([number(0.5, 0.25, 0.75), None, number(None, 0, 0)])
    assert (first.low, first.at, first.high, first.zero) == (25, 50, 75, 0)
    assert missing is undefined is None
    (wide,) = bars([number(0.0, -1.0, 3.0)])
    assert (wide.low, wide.at, wide.high, wide.zero) == (0, 25, 100, 25)


def test_a_trend_is_as_high_as_its_intervals_and_higher_is_more() -> None:
    drawn = trend("mrr", [scored("a", number(0.6, 0.5, 0.7)), scored("b", number(0.8, 0.7, 0.9))])
    first, second = drawn.points
    assert (drawn.bottom, drawn.top) == (0.5, 0.9)
    assert first.x < second.x
    assert 0 < second.high < second.y < first.y < first.low < HEIGHT
    assert drawn.line == f"{first.x},{first.y} {second.x},{second.y}"


def test_one_value_without_an_interval_is_in_the_middle() -> None:
    only = Aggregate("*", "*", "*", "*", "default", "mrr", 0.5, None, None, 1)
    (point,) = trend("mrr", [scored("a", only)]).points
    assert point.y == point.low == point.high


@pytest.mark.parametrize(("metric", "best"), [("mrr", 1.0), ("noise@15", 0.0)])
def test_the_best_of_a_table_is_the_warmest(metric: str, best: float) -> None:
    numbers = [number(value, value, value, metric) for value in (0.0, 0.4, 1.0)]
    assert [heat(number, numbers) == 100 for number in numbers] == [number.value == best for number in numbers]
    assert heat(None, numbers) == 0
