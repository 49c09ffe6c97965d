from collections.abc import Callable

import numpy as np
import pytest

from tools.fit.trees import Example, Settings

NAMES = ("less_covered", "told", "behind_section_alike", "lexical")
SMALL = Settings(rounds=20, leaves=4, least_examples=5, features_a_tree=1.0)


def example_of(seed: int, telling: str = "less_covered", n: int = 12, *, kind: str = "lookup") -> Example:
    """Candidates of which the first is gold; only the feature `telling` says so, and all others are noise."""
    values = np.random.default_rng(seed).random((n, len(NAMES))).astype(np.float32)
    column = NAMES.index(telling)
    sign = -1 if telling.startswith("behind") else 1
    values[:, column] *= 0.5
    values[0, column] = 0.5 + sign * 0.45
    if sign < 0:
        values[1:, column] += 0.4
    gold = np.zeros(n, dtype=np.bool_)
    gold[0] = True
    first, tables, rows = values[:, 3].astype(np.float64), np.arange(n) // 4, np.ones(n, dtype=np.bool_)
    return Example(f"q{seed}", kind, values, gold, first, tables, rows, np.zeros(n))


@pytest.fixture(scope="session")
def make_example() -> Callable[..., Example]:
    return example_of


@pytest.fixture(scope="session")
def names() -> tuple[str, ...]:
    return NAMES


@pytest.fixture(scope="session")
def small() -> Settings:
    return SMALL


@pytest.fixture(scope="session")
def lightgbm() -> object:
    """LightGBM, or a skip where it cannot be loaded."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        pytest.skip(f"LightGBM cannot be loaded: {error}")
    return lightgbm
