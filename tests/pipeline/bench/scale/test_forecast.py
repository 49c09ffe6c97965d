import pytest

from pipeline.bench.scale.forecast import Growth


def growth(small: float, large: float) -> Growth:
    return Growth("cost", "s", (100, 1000), (small, large))


def test_what_grows_no_faster_than_the_library_is_carried_on_by_the_line() -> None:
    found = growth(30, 210)
    assert not found.steepens
    assert found.slope == pytest.approx(0.2)
    assert found.at(10_000) == pytest.approx(30 + 0.2 * 9_900)


def test_what_grows_faster_is_carried_on_by_the_same_factor() -> None:
    found = growth(2, 40)
    assert found.steepens
    assert found.at(10_000) == pytest.approx(40 * 20)
    assert found.at(100_000) == pytest.approx(40 * 20 * 20)


@pytest.mark.parametrize(("small", "large"), [(30, 210), (2, 40)], ids=["line", "factor"])
def test_what_was_measured_is_what_is_said(small: float, large: float) -> None:
    assert growth(small, large).at(100) == pytest.approx(small)
    assert growth(small, large).at(1000) == pytest.approx(large)


@pytest.mark.parametrize(("small", "large"), [(30, 210), (2, 40)], ids=["line", "factor"])
@pytest.mark.parametrize("bound", [60.0, 5000.0], ids=["between the two", "beyond"])
def test_a_bound_is_reached_where_the_cost_is_that(small: float, large: float, bound: float) -> None:
    found = growth(small, large)
    chunks = found.reaches(bound)
    assert chunks is not None
    assert found.at(chunks) == pytest.approx(bound, rel=0.001)


def test_what_does_not_grow_reaches_nothing() -> None:
    assert growth(3, 3).reaches(4) is None
