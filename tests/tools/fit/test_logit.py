import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.fit.logit import fit_conditional, fit_monotone


@given(st.integers(0, 50))
def test_a_logit_never_goes_against_the_direction_of_a_feature(seed: int) -> None:
    random = np.random.default_rng(seed)
    values, answered = random.normal(size=(60, 3)), (random.random(60) < 0.5).astype(np.float64)
    signs = np.asarray([1.0, -1.0, 1.0])

    _, weights = fit_monotone(values, signs, answered, np.full(60, 1 / 60))

    assert (weights * signs >= 0).all()


def test_what_tells_gets_the_weight_and_what_is_always_the_same_gets_none() -> None:
    random = np.random.default_rng(1)
    values = np.column_stack([random.normal(size=200), random.normal(size=200), np.ones(200)])
    answered = (values[:, 0] > 0).astype(np.float64)

    _, weights = fit_monotone(values, np.ones(3), answered, np.full(200, 1 / 200))

    assert weights[0] > 10 * weights[1]
    assert weights[2] == pytest.approx(0.0)


def test_the_wanted_alternative_of_every_choice_becomes_the_likeliest() -> None:
    random = np.random.default_rng(2)
    choices = [random.normal(size=(int(random.integers(2, 6)), 2)) for _ in range(80)]
    wanted = [(choice[:, 1] == choice[:, 1].min()).astype(np.float64) for choice in choices]

    weights = fit_conditional(choices, wanted, [1.0] * len(choices))

    assert weights[1] < 0
    assert all(
        int(np.argmax(choice @ [0, weights[1]])) == int(best.argmax())
        for choice, best in zip(choices, wanted, strict=True)
    )


def test_a_choice_that_counts_more_decides() -> None:
    choices, wanted = [np.asarray([[1.0], [0.0]])] * 2, [np.asarray([1.0, 0.0]), np.asarray([0.0, 1.0])]

    assert fit_conditional(choices, wanted, [4.0, 1.0])[0] > 0 > fit_conditional(choices, wanted, [1.0, 4.0])[0]
    assert fit_conditional(choices, wanted, [8.0, 2.0]) == pytest.approx(fit_conditional(choices, wanted, [4.0, 1.0]))
